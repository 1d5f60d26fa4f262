"""The shell reader: words, variables, branches, folders; what it cannot know stays unknown."""

import sys

import pytest

from mmcodemod.facts.shell import parse


def words(text):
    return [[w.text for w in c.words] for c in parse(text).commands]


def test_quotes_comments_continuations():
    assert words("a 'b  c' \"d $\" \\\n  e\\ f # g\nh") == [["a", "b  c", "d $", "e f"], ["h"]]


def test_a_here_string_is_no_here_document():
    assert words('IFS=, read -ra a <<< "$X"\npython b.py <<<word\n')[-1] == ["python", "b.py"]


def test_separators_redirections_and_here_documents():
    text = "a > log 2>&1 && b | tee x; if c; then d; fi\ncat <<'END' >f\npython no.py\nEND\ne &"
    assert words(text) == [["a"], ["b"], ["tee", "x"], ["c"], ["d"], ["cat"], ["e"]]


def test_a_quoted_list_of_flags_is_split_and_keeps_its_lines():
    text = 'N=8\nARGS="\n  --nproc $N \\\n  --nnodes 1\n"\ntorchrun $ARGS train.py'
    command = parse(text).commands[0]
    assert [w.text for w in command.words] == ["torchrun", "--nproc", "8", "--nnodes", "1", "train.py"]
    assert [w.origin for w in command.words[:4]] == [None, (3, 3), (1, 3), (4, 3)]
    assert command.words[1].at == (6, 10)


def test_arrays_defaults_and_empty_variables():
    text = 'A=(--x "1 2"\n --y)\nA+=(--z)\nE=\ncmd "${A[@]}" ${B:-${C:-d}} $E "$E"'
    assert words(text) == [["cmd", "--x", "1 2", "--y", "--z", "d", ""]]


def test_an_array_without_elements_is_no_word_in_quotes_either():
    assert words('A=()\nB=("")\ncmd "${A[@]}" "x${A[@]}" "${B[@]}" "${C[@]}"') == [["cmd", "x", "", "$C"]]


def test_appending():
    assert words('A=(--x)\nA+=(--y)\nA+=z\ncmd "${A[@]}"\nB=(--x)\ncmd $B') == [
        ["cmd", "--xz", "--y"],
        ["cmd", "--x"],
    ]
    assert words("A=a\nA+=b\nB+=c\ncmd $A $B") == [["cmd", "ab", "c"]]


def test_what_comes_from_outside_is_unknown():
    command = parse('run "$@" $1 $(ls) `ls` $HOME/x ${A%.*} plain').commands[0]
    assert [w.unknown for w in command.words] == [False, True, True, True, True, True, True, False]


def test_a_variable_that_depends_on_a_branch_is_unknown_afterwards():
    text = 'S=1\nif x; then S=2; a $S; else S=3; fi\nb $S\n[ "$1" ] && T=1\nc $T'
    by_name = {c.words[0].text: c.words[1] for c in parse(text).commands if c.words[0].text in "abc"}
    assert (by_name["a"].text, by_name["a"].unknown) == ("2", False)
    assert by_name["b"].unknown and by_name["c"].unknown


def test_loop_variables_are_unknown():
    command = parse("for s in 2 3; do run zero$s.json; done").commands[0]
    assert command.words[1].unknown


def test_folders():
    own = '"$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/.."'
    text = "cd a; one; cd ../b\ntwo\n(cd c && three); four\ncd " + own + "; five"
    folders = {c.words[0].text: c.cwd for c in parse(text).commands}
    assert folders == {
        "one": "a",
        "two": "a/../b",
        "three": "a/../b/c",
        "four": "a/../b",
        "five": '$(dirname "$0")/..',
    }


def test_environment():
    command = parse("export A=1\nB=2\nC=3 D=$B run").commands[0]
    assert {k: w.text for k, w in command.env.items()} == {"A": "1", "C": "3", "D": "2"}


@pytest.mark.parametrize(
    "text",
    [
        "A=x;" + 'A="$A$A";' * 5000 + "run $A",
        "${A:-" * 50_000,
        "$(" * 100_000,
        "A=(" * 100_000,
        "`" * 99_999,
        "<<A\n" * 50_000,
        "(" * 200_000,
        "if x; then A=1; " * 10_000,
        "'\"" * 50_000,
        "A='" + "a " * 40_000 + "'; run $A" + "; run $A" * 10_000,
    ],
)
def test_hostile_scripts_take_bounded_work(text):
    """Counted in calls, which no other work on the machine changes: a quadratic reader makes thousands a
    character."""
    calls = [0]

    def count(frame, event, argument):
        calls[0] += 1

    sys.setprofile(count)
    try:
        parse(text)
    finally:
        sys.setprofile(None)
    assert calls[0] < 200 * len(text)


def test_a_script_that_is_too_large_says_so():
    assert not parse("true\n" * 100_000).complete


def test_folders_below_the_own_one_through_variables():
    text = (
        'HERE=$(dirname "$0")\nROOT="$(cd "${HERE}/../.." && pwd)"\nrun "$ROOT/train.py" $(realpath $HERE/x)'
    )
    command = parse(text).commands[0]
    assert [w.text for w in command.words[1:]] == ['$(dirname "$0")/../../train.py', '$(dirname "$0")/x']


def test_an_export_in_a_branch_is_unknown_afterwards():
    env = parse("if x; then export A=1; fi\nexport B=1\nrun").commands[-1].env
    assert {k: w.unknown for k, w in env.items()} == {"A": True, "B": False}
