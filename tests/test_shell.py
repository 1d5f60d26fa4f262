"""The shell reader: words, variables, branches, folders; what it cannot know stays unknown."""

import sys

import pytest

from mmcodemod.facts.shell import parse


def words(text):
    return [[w.text for w in c.words] for c in parse(text).commands]


def test_quotes_comments_continuations():
    assert words("a 'b  c' \"d $\" \\\n  e\\ f # g\nh") == [["a", "b  c", "d $", "e f"], ["h"]]


@pytest.mark.parametrize("text", ["a --b c \\", "a --b c\\", "a --b c \\\n", "a --b c \\ \\\n"])
def test_a_continuation_at_the_end(text):
    assert words(text)[0][:3] == ["a", "--b", "c"]
    assert [w for w in words(text)[0][3:] if w != " "] == []


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


def values_after(text):
    """The value of A behind a script, None when nothing is known of it."""
    word = parse(text + "\nrun $A").commands[-1].words[1]
    return None if word.unknown else word.text


def test_a_branch_that_the_script_itself_decides():
    choice = 'if [ $S = one ]; then A=1; elif [ "$S" != two ]; then A=2; else A=3; fi'
    assert [values_after(f"S={s}\n{choice}") for s in ("one", "two", "three")] == ["1", "3", "2"]
    assert values_after(choice) is None
    assert values_after("N=8\nif [[ $N -gt 4 ]]\nthen\n A=many\nelse\n A=few\nfi") == "many"
    assert values_after('N=\nif [ -z "$N" ]; then A=none; fi') == "none"


def default_of(text):
    """What A is behind a script unless somebody says otherwise."""
    return parse(text + "\nrun $A").commands[-1].words[1].default


def test_a_default_for_what_nobody_said():
    options = "while true; do\n case $1 in\n  --a) shift; A=$1; shift ;;\n  *) break ;;\n esac\ndone\n"
    assert default_of(options + 'if [ -z "$A" ]; then\n A="0"\nfi') == "0"
    assert default_of("if [[ -z $A ]]; then A=0; fi") == "0"
    assert default_of("if test -z $A; then A=0; fi\nB=$A\nA=$B") == "0"
    assert default_of(options + "A=${A:-0}") == "0"
    assert default_of("shift\nB=$2\nA=${B:-0}") == "0"
    assert values_after(options + "A=${A:-0}") is None


def test_a_branch_that_is_no_default():
    assert default_of('if [ -n "$A" ]; then A=0; fi') is None
    assert default_of('if [ -z "$B" ]; then A=0; fi') is None
    assert default_of('if [ -z "$A" ] && x; then A=0; fi') is None
    assert default_of('if [ -z "$A" ]; then A=$1; fi') is None
    assert default_of('if [ -z "$A" ]; then A=0; else A=1,2; fi') is None
    assert default_of('if x; then A=1; elif [ -z "$A" ]; then A=0; fi') is None


def test_a_default_that_is_exported():
    text = 'if [ -z "$A" ]; then\n export A=0\nfi\nrun'
    word = parse(text).commands[-1].env["A"]
    assert (word.unknown, word.default) == (True, "0")


def test_a_branch_behind_one_that_may_run_is_not_certain():
    assert values_after("S=1\nif x; then A=0; elif [ $S = 1 ]; then A=1; fi") is None
    assert values_after("S=1\nA=0\nif x; then A=1; elif [ $S = 2 ]; then A=2; fi") is None
    assert values_after("S=1\nA=0\nif [ $S = 1 ]; then if x; then A=1; fi; fi") is None
    assert values_after("S=1\nA=0\nif x; then if [ $S = 1 ]; then A=1; fi; fi") is None
    assert values_after("S=1\nA=0\nif x; then if [ $S = 2 ]; then A=1; fi; fi") == "0"


def test_conditions_of_which_more_than_one_test_decides():
    assert values_after("S=1\nA=0\nif [ $S = 1 ] && x; then A=1; fi") is None
    assert values_after("S=1\nA=0\nif [ $S = 2 ] || x; then A=1; fi") is None
    assert values_after("S=1\nA=0\nif ! [ $S = 1 ]; then A=1; fi") is None
    assert values_after("S=1\nA=0\nif [[ $S == 1* ]]; then A=1; fi") is None
    assert values_after("S=1\nA=0\nif [[ $S == 2 || -n $X ]]; then A=1; fi") is None


def test_a_test_in_a_loop_decides_nothing_for_the_next_round():
    text = "S=0\nA=0\nfor x in 1 2; do if [ $S = 1 ]; then A=1; fi; S=1; done"
    assert values_after(text) is None


def test_loop_variables_are_unknown():
    command = parse("for s in 2 3; do run zero$s.json; done").commands[0]
    assert command.words[1].unknown


def jobs(text):
    """The commands of the job scripts that a script submits."""
    found = parse(text, load=lambda name, cwd: None).commands
    return [[w.text + "*" * w.unknown for w in c.words] for c in found if c.words[0].text == "srun"]


def test_a_job_script_that_is_a_here_document():
    text = "M=a\nexport S=3\nsbatch <<{}\n#SBATCH -N 2\nsrun b $M $S \\\n  \\$SLURM_NNODES '$M'\n{}\nend\n"
    assert jobs(text.format("EOF", "EOF")) == [["srun", "b", "a", "3", "2", "$M*"]]
    plain = text.replace("\\$", "$")
    assert jobs(plain.format("'EOF'", "EOF")) == [["srun", "b", "$M*", "3", "2", "$M"]]
    assert jobs(plain.format('"EOF"', "EOF")) == [["srun", "b", "$M*", "3", "2", "$M"]]


def test_where_a_job_script_stands():
    text = "a\n\nsbatch -N 3 --ntasks-per-node=2 <<EOF\n\n#SBATCH -N 2\nsrun b\nEOF\n"
    (found,) = (c for c in parse(text, load=lambda name, cwd: None).commands if c.words[0].text == "srun")
    assert found.at == (6, 1)
    assert sorted(w.text for w in found.batch) == ["--nodes=3", "--ntasks-per-node=2"]


@pytest.mark.parametrize(
    "text",
    [
        "sbatch -p gpu --parsable <<EOF && a\nsrun b\nEOF\nc",
        "ID=1; sbatch <<-EOF | tee x\n\tsrun b\n\tEOF\nc",
        "cat <<EOF | sbatch\nsrun b\nEOF\nc",
        "f() {\n  sbatch <<EOF\nsrun $1\nEOF\n}\nf b",
        "a <<X; sbatch <<EOF\nsrun no\nX\nsrun b\nEOF\nc",
    ],
)
def test_how_a_job_script_is_submitted(text):
    assert jobs(text) == [["srun", "b"]]


@pytest.mark.parametrize(
    "text",
    [
        "sbatch job.sh <<EOF\nsrun b\nEOF\n",
        "sbatch -p gpu job.sh <<EOF\nsrun b\nEOF\n",
        "cat > job.sh <<EOF\nsrun b\nEOF\nsbatch job.sh",
        "cat <<EOF | grep x | sbatch\nsrun b\nEOF\n",
        "python a.py <<EOF\nsrun b\nEOF\n",
        "exit\nsbatch <<EOF\nsrun b\nEOF\n",
        "bash -c 'sbatch <<EOF\nsrun b\nEOF\n'",
    ],
)
def test_what_is_no_job_script(text):
    assert jobs(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "bash <<EOF\nsrun b\nEOF\n",
        "bash -ex -o pipefail <<'EOF'\nsrun b\nEOF\n",
        "nohup bash -s <<EOF &\nsrun b\nEOF\n",
        "M=b; cat <<EOF | /bin/sh\nsrun $M\nEOF\n",
        "export M=b; bash <<'EOF'\nsrun $M\nEOF\n",
        "M=a; bash <<'EOF'\nM=b\nsrun $M\nEOF\n",
        "sbatch --wrap 'srun b'",
        'M=b; sbatch -N 2 --wrap="srun $M" -p gpu',
        "export M=b; sbatch --parsable --wrap='srun $M'",
    ],
)
def test_a_shell_reads_its_script_from_the_line(text):
    assert jobs(text) == [["srun", "b"]]


@pytest.mark.parametrize(
    "text",
    [
        "bash run.sh <<EOF\nsrun b\nEOF\n",
        "bash -c 'cat' <<EOF\nsrun b\nEOF\n",
        "bash -x run.sh <<EOF\nsrun b\nEOF\n",
        "sbatch job.sh --wrap 'srun b'",
        "echo --wrap 'srun b'",
    ],
)
def test_a_shell_that_reads_no_such_script(text):
    assert jobs(text) == []


def test_what_is_wrapped_into_a_job_knows_what_it_asks_for():
    text = "#SBATCH -N 4\nsbatch -N 3 --ntasks-per-node=2 --wrap 'srun b $SLURM_NNODES $PATH_OF'\n"
    (found,) = (c for c in parse(text, load=lambda name, cwd: None).commands if c.words[0].text == "srun")
    assert [w.text for w in found.words] == ["srun", "b", "3", "$PATH_OF"]
    assert (found.at[0], sorted(w.text for w in found.batch)) == (2, ["--nodes=3", "--ntasks-per-node=2"])


def test_what_a_job_script_sets_stays_there():
    assert values_after("A=0\nsbatch <<EOF\nexport A=1\nexit\nEOF\n") == "0"


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
        "sbatch <<A\nx\nA\n" * 20_000,
        "sbatch " + "<<A " * 50_000 + "\nx\nA\n",
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


@pytest.mark.parametrize(
    ("folder", "below"),
    [
        ('$(dirname "$0")', ""),
        ("$(dirname $0)", ""),
        ('$(dirname -- "${BASH_SOURCE[0]}")', ""),
        ('"$(dirname "$(realpath "$0")")"', ""),
        ('$(dirname "$(readlink -f "$0")")', ""),
        ("$(dirname $(realpath $0))", ""),
        ('"$(dirname "$(realpath "${BASH_SOURCE[0]}")")"', ""),
        ('"$(cd "$(dirname "$0")" && pwd)"', ""),
        ('"$(cd "$(dirname "${BASH_SOURCE[0]}")"; pwd -P)"', ""),
        ('"$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" > /dev/null 2>&1 && pwd)"', ""),
        ('$(realpath "$(dirname "$0")")', ""),
        ('"$(dirname "$(dirname "$(realpath "$0")")")"', "/.."),
        ('$(dirname "$(cd "$(dirname "$0")" && pwd)")', "/.."),
        ('"$(cd "$(dirname "$0")/.." && pwd)"', "/.."),
        ('"$(realpath "$(dirname "$0")/../..")"', "/../.."),
    ],
)
def test_folders_of_the_script_however_they_are_written(folder, below):
    command = parse(f'HERE={folder}\nrun "$HERE/x"').commands[0]
    assert command.words[1].text == f'$(dirname "$0"){below}/x'


@pytest.mark.parametrize(
    "folder", ['$(dirname "$1")', '$(dirname "$(which "$0")")', '$(pick "$(dirname "$0")")']
)
def test_other_folders_are_not_that_of_the_script(folder):
    assert not parse(f'HERE={folder}\nrun "$HERE/x"').commands[0].words[1].text.startswith('$(dirname "$0")')


def test_an_export_in_a_branch_is_unknown_afterwards():
    env = parse("if x; then export A=1; fi\nexport B=1\nrun").commands[-1].env
    assert {k: w.unknown for k, w in env.items()} == {"A": True, "B": False}


def sourcing(text, files):
    return parse(text, load=lambda name, cwd: (name, files[name]) if name in files else None).commands


def test_a_sourced_file_sets_variables_that_keep_their_place():
    text = "A=1\nsource env.sh\n. missing.sh\nrun $A $B $C"
    (command,) = (
        c for c in sourcing(text, {"env.sh": "\nB=2\nexport D=4\ncd sub\nother $B\n"}) if c.at[0] == 4
    )
    assert [(w.text, w.unknown, w.file, w.origin) for w in command.words[1:]] == [
        ("1", False, "", (1, 3)),
        ("2", False, "env.sh", (2, 3)),
        ("$C", True, "", None),
    ]
    assert (command.env["D"].file, command.env["D"].at, command.cwd) == ("env.sh", (3, 8), "sub")


def test_the_commands_of_a_sourced_file_are_its_own():
    commands = sourcing("source env.sh\nrun", {"env.sh": "other\nf() { more; }\nf\n"})
    assert [c.words[0].text for c in commands] == ["source", "run"]


def test_a_file_that_may_not_be_sourced_is_a_branch():
    text = "A=1\nB=1\n[ -f env.sh ] && source env.sh\nif x; then . env.sh; fi\nrun $A $B"
    command = sourcing(text, {"env.sh": "A=2"})[-1]
    assert [w.unknown for w in command.words[1:]] == [True, False]


def test_files_that_source_each_other_end():
    files = {"a.sh": "X=a\nsource b.sh", "b.sh": "source a.sh\nY=b"}
    files |= {f"d{n}.sh": f"source d{n + 1}.sh\nD{n}=1" for n in range(20)}
    command = sourcing("source a.sh\nsource d0.sh\nrun $X $Y $D0 $D15", files)[-1]
    assert [w.text for w in command.words[1:]] == ["a", "b", "1", "$D15"]


def test_the_folder_of_a_sourced_file():
    text = "source lib/env.sh\nrun $HERE/x $SCRIPT/y"
    files = {"lib/env.sh": 'HERE=$(dirname "${BASH_SOURCE[0]}")\nSCRIPT=$(dirname "$0")'}
    assert [w.text for w in sourcing(text, files)[-1].words[1:]] == ["lib/x", '$(dirname "$0")/y']


def test_functions_are_read_where_they_are_called():
    text = 'go() { local N=$1; run $N "$@"; }\nN=1\ngo 2 x\ngo 3\nlost() { never $N; }\nrun $N'
    assert words(text) == [["run", "2", "2", "x"], ["run", "3", "3"], ["never", "1"], ["run", "1"]]


def test_patterns_of_case_are_no_commands():
    text = "case $1 in\n --a | -b) X=1; run;;\n *)\n  other ;;\nesac\ncase x in y) more; esac; last $X"
    assert words(text) == [["run"], ["other"], ["more"], ["last", "$X"]]


def test_texts_of_other_shells_are_read_with_load_alone():
    text = (
        "export A=1\nB=2\nsrun bash -c 'run $A $B $1' x 3\neval \"run $B\"\ntmux send-keys -t s 'run 4' C-m"
    )
    found = sourcing(text, {})
    assert [[w.text for w in c.words] for c in found] == [["run", "1", "$B", "3"], ["run", "2"], ["run", "4"]]
    assert [w.text for w in found[0].wrapper] == ["srun"] and found[0].at == (3, 14)
    assert [c.words[0].text for c in parse(text).commands] == ["srun", "eval", "tmux"]


def test_what_a_batch_script_asks_for():
    text = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node 4 # all\nsrun x $SLURM_NTASKS\n"
    text += "#SBATCH -N 9"
    (command,) = sourcing(text, {})
    assert [(w.text, w.at[0]) for w in command.batch] == [("--nodes=2", 2), ("--ntasks-per-node=4", 3)]
    assert (command.words[2].text, command.words[2].origin) == ("8", (3, 1))


def test_placeholders_of_a_readme():
    text = "run --data <your path> --out=<dir>/x --lr 1 < file > log"
    (command,) = parse(text, placeholders=True).commands
    assert [w.text for w in command.words] == ["run", "--data", "<your path>", "--out=<dir>/x", "--lr", "1"]
    assert [w.unknown for w in command.words] == [False, False, True, True, False, False]


def command_after(text):
    """The words of the last command, with an asterisk behind an unknown one."""
    return " ".join(w.text + "*" * w.unknown for w in parse(text).commands[-1].words)


def test_what_all_branches_begin_and_end_with_is_known():
    either = 'if [ "$N" ]; then L="torchrun --nnodes $N"; else L="torchrun --nproc_per_node 8"; fi\n'
    assert command_after(either + "$L train.py --lr 1") == "torchrun $L* train.py --lr 1"
    more = 'A="--bf16 True"\nif [ $1 = zero ]; then A="$A --deepspeed ds.json"; fi\nrun $A'
    assert command_after(more) == "run --bf16 True $A*"
    assert command_after('A="--bf16 True"\n[ $1 ] && A="$A --seed 1"\nrun $A') == "run --bf16 True $A*"
    again = 'if x; then A="$A --y"; fi\n'
    assert command_after(f"A=--x\n{again}{again}run $A") == "run --x $A*"
    other = 'A="--lr 1 --bf16"\nif x; then A="--lr 2 --bf16"; fi\nrun $A'
    assert command_after(other) == "run --lr $A* --bf16"


def test_what_all_branches_put_into_a_list_is_known():
    text = 'A=(--n 2 --port 1)\nif ((N > 1)); then A=(--multi "${A[@]}"); fi\nrun "${A[@]}" x'
    assert command_after(text) == "run $A* --n 2 --port 1 x"
    assert command_after('A=(--n 2)\nif x; then A+=(--more "$1"); fi\nrun "${A[@]}"') == "run --n 2 $A*"


def test_branches_of_which_one_may_leave_a_variable_alone():
    assert command_after("if x; then L='a b'; elif y; then L='a c'; fi\nrun $L") == "run $L*"
    assert command_after("if x; then L='a b'; else M=1; fi\nrun $L") == "run $L*"
    assert command_after("if x; then L='a b'; elif y; then L='a c'; else L='a d'; fi\nrun $L") == "run a $L*"
    assert command_after("if x; then if y; then L=a; else L=a; fi; fi\nrun $L") == "run $L*"
    assert command_after("if x; then if y; then L=a; else L=a; fi; else L=a; fi\nrun $L") == "run a"


LOOPS = (
    'while [[ $# -gt 0 ]]; do case "$1" in --ds) DS="$2"; shift 2;; *) shift;; esac; done',
    'while getopts "c:" opt; do case "$opt" in c) DS="$OPTARG";; esac; done',
    'for word in "$@"; do case $word in --ds=*) DS="${word#*=}";; esac; done',
    "for word; do DS=$word; done",
    'until [ -z "$1" ]; do DS=$1; shift; done',
    "while (($#)); do DS=$1; shift; done",
)


@pytest.mark.parametrize("loop", LOOPS)
def test_what_only_an_argument_of_the_script_changes(loop):
    """A script is read as it runs without arguments, as `${1:-zero2.json}` is."""
    assert command_after(f"DS=zero2.json\n{loop}\nrun $DS") == "run zero2.json"
    assert command_after(f"export DS=zero2.json\n{loop}\nrun $DS") == "run zero2.json"
    assert command_after(f"{loop}\nrun $DS") == "run $DS*"
    assert command_after(f'DS=""\n{loop}\nif [ -z "$DS" ]; then exit 1; fi\nrun "$DS"') == "run $DS*"
    given = parse(f"DS=zero2.json\n{loop}\nrun $DS", given=parse("x --ds zero3.json").commands[0].words[1:])
    assert given.commands[-1].words[1].unknown


def test_other_loops_may_change_a_variable():
    assert command_after("DS=a\nfor x in 1 2; do DS=$x; done\nrun $DS") == "run $DS*"
    asked = "DS=a\nif (($# < 1)); then u; fi\nfor x in 1 2; do DS=$x; done\nrun $DS"
    assert command_after(asked) == "run $DS*"
    assert command_after("DS=a\nwhile read x; do DS=$x; done\nrun $DS") == "run $DS*"


def test_a_function_that_is_given_the_arguments_of_the_script():
    text = 'DS=a\nparse() { while [ $# -gt 0 ]; do DS=$1; shift; done; }\nparse "$@"\nrun $DS'
    assert command_after(text) == "run a"
    assert command_after(text.replace('parse "$@"', "parse b")) == "run $DS*"


CASE = 'case "$M" in\n  a | b) A=1 ;;\n  "c d") A=2 ;;\n  e*) A=3 ;;\n  *) A=4 ;;\nesac'


def test_a_case_that_the_script_itself_decides():
    found = [values_after(f"M={m}\n{CASE}") for m in ("a", "b", '"c d"', "x", "e1")]
    assert found == ["1", "1", "2", None, None]
    assert values_after(f'M="${{1:-b}}"\n{CASE}') == "1"
    assert values_after(CASE) is None
    assert values_after("A=0\ncase x in y) A=1;; esac") == "0"
    assert values_after("A=0\ncase x in x) A=1;; *) A=2;; esac") == "1"


def test_a_case_whose_branches_go_on():
    assert values_after("A=0\ncase x in x) A=1;& y) A=2;; esac") is None
    assert values_after("A=0\ncase x in x) A=1;;& x) A=2;; esac") is None
    assert values_after("A=0\nfor x in 1; do case a in a) A=1;; esac; done") is None
    assert values_after("case x in\n (x) case y in y) A=1;; esac ;;\n (z) A=2 ;;\nesac") == "1"


READ = "A=x\nread -r -d '' B <<{}\na.py \\\n  --b $A \"c d\"\n   --e \\$A\n{} \nrun $B\n"


def test_a_here_document_that_is_read_into_a_variable():
    found = parse(READ.format("EOF", "EOF")).commands[-1]
    assert [w.text for w in found.words] == ["run", "a.py", "--b", "x", '"c', 'd"', "--e", "$A"]
    assert [w.origin for w in found.words[1:3]] == [(3, 1), (4, 3)]
    plain = parse(READ.format("'EOF'", "EOF")).commands[-1]
    assert [w.text for w in plain.words][:6] == ["run", "a.py", "\\", "--b", "$A", '"c']


@pytest.mark.parametrize("options", ["-d '' -r B", '-rd "" B', "-r -d $'\\0' B"])
def test_how_read_takes_all_lines(options):
    assert words(f"read {options} <<X || true\na\n b\nX\nrun $B")[-1] == ["run", "a", "b"]


@pytest.mark.parametrize("options", ["B", "-r B", "-r -d ' ' B", "-d '' B", "-r -d '' A B", "-r -a B -d ''"])
def test_other_readings_are_unknown(options):
    assert words(f"B=x\nread {options} <<X\na\n b\nX\nrun $B")[-1] == ["run", "$B"]


def test_a_reading_that_may_not_happen():
    text = "B=x\nif [ -n \"$C\" ]; then\nread -r -d '' B <<X\na\nX\nfi\nrun $B"
    assert words(text)[-1] == ["run", "$B"]


def test_a_list_that_becomes_one_text():
    text = 'L=(a "b c" --d)\nX="${L[@]}"\nY="z ${L[@]}$X"\nset -- p q\nZ="$@"\nrun "$X" $Y\nrun "$Z"'
    assert words(text) == [["run", "a b c --d", "z", "a", "b", "c", "--da", "b", "c", "--d"], ["run", "p q"]]
