"""The trial of fixes sees each way in which a fix could harm a tree."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import fix_trial  # noqa: E402
from trialling import judging  # noqa: E402
from trialling.judging import Entry  # noqa: E402


def faults(path, before, after):
    return judging.file(path, before.encode(), after.encode())


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "x = 1  # one\n", "x = 1  # one\ny = 2  # two\n"),
        ("a.py", "x = 1  # one\n", "with y:\n    x = 1  # one\n"),
        ("a.json", '{"a": 1}\n', '{\n  "a": 1\n}\n'),
        ("a.json", '{"a": 1, // no\n}', '{"a": 1\n}'),
        ("a.yaml", "a: !tag 1  # one\n", "a: !tag 2  # one\n"),
        ("a.sh", "run \\\n  --a 1\n", "run \\\n  --a 2 \\\n  --b\n"),
        ("a.sh", "if; then\n", "if; then # a\n"),
    ],
)
def test_a_good_change(path, before, after):
    assert faults(path, before, after) == []


@pytest.mark.parametrize(
    ("path", "before", "after", "fault"),
    [
        ("a.py", "x = 1\n", "x = \n", "is not Python"),
        ("a.json", '{"a": 1}', '{"a": 1,}', "is not strict JSON"),
        ("a.json", "{a: 1}", "{a: 1", "is not hjson"),
        ("a.yml", "a: 1\n", "a: [1\n", "is not YAML"),
        ("a.sh", "run a\n", "run 'a\n", "is not bash"),
        ("a.py", "x = 1  # one\n", "x = 1\n", "the comment '# one' is lost"),
        ("a.py", "# a\nx = 1\n# a\n", "# a\nx = 1\n", "the comment '# a' is lost"),
        ("a.yaml", "a: 1  # one\n", "a: 1\n", "the comment '# one' is lost"),
        (
            "a.py",
            "x = 1\ny = 2  # two\n",
            'x = """1\ny = 2  # two\n"""\n',
            "lines 2 to 2 hold other comments",
        ),
        ("a.py", "x = 1\r\ny = 2\r\n", "x = 1\r\ny = 3\n", "has line ends that it did not have"),
        ("a.json", "1", "1\n", "its last line ends in another way"),
    ],
)
def test_a_bad_change(path, before, after, fault):
    assert any(each.startswith(fault) for each in faults(path, before, after))


def test_python_that_was_none_is_not_to_be_touched():
    assert "is not Python" in faults("a.py", "x = \n", "x =  \n")


def test_what_the_report_does_not_tell():
    one, two = Entry(0o644, b"x = 1\n"), Entry(0o644, b"x = 2\n")
    assert judging.tree({"a.py": one}, {"a.py": two}, ["a.py"]) == []
    assert judging.tree({"a.py": one}, {"a.py": two}, []) == ["a.py: changed, and not told"]
    assert judging.tree({"a.py": one}, {"a.py": one}, ["a.py"]) == ["a.py: told as changed, and is not"]
    assert judging.tree({}, {"a.py": one}, ["a.py"]) == ["a.py: made or removed"]
    executable = Entry(0o755, two.data)
    assert judging.tree({"a.py": one}, {"a.py": executable}, ["a.py"]) == ["a.py: the permissions changed"]


OTHER = "a: the patch makes another text"


def test_a_patch_that_makes_another_text():
    assert judging.same({"a": Entry(0o644, b"1")}, {"a": Entry(0o644, b"1")}) == []
    assert judging.same({"a": Entry(0o664, b"1")}, {"a": Entry(0o644, b"1")}) == []
    assert judging.same({"a": Entry(0o644, b"1")}, {"a": Entry(0o644, b"2")}) == [OTHER]
    assert judging.same({"a": Entry(0o644, b"1")}, {}) == [OTHER]


def finding(mark, severity="warning"):
    return {"rule": "MM301", "path": "a.py", "line": 3, "fingerprint": mark, "severity": severity}


def test_findings_that_stay_or_come():
    one, two, note = finding("1"), finding("2"), finding("3", "info")
    assert judging.findings([one], [one], [note]) == []
    assert judging.findings([one], [one], [one]) == ["MM301 at a.py:3: told as fixed, and is there"]
    assert judging.findings([one], [one], [two]) == ["MM301 at a.py:3: new"]


@pytest.mark.parametrize(
    ("slug", "kind"), [("zero3_load_state_dict_ungathered", ".py"), ("ds_gradient_clipping_absent", ".json")]
)
def test_a_showcase_holds(slug, kind, tmp_path):
    found = fix_trial.trial(ROOT / "samples" / slug / "showcase" / "before", tmp_path)
    assert found.faults == []
    assert [Path(path).suffix for path in found.changed] == [kind]
    assert sum(found.fixed.values()) == len(found.fixed) > 0
    assert (tmp_path / "showcase_before.diff").read_bytes().startswith(b"--- a/")


def test_a_tree_that_is_not_there_is_named(tmp_path, capsys):
    assert fix_trial.main([str(tmp_path / "none")]) == 1
    assert "| not here |" in capsys.readouterr().out
