"""Suppression comments: where they count, what they name, and what is said of the idle ones."""

import pytest

from mmcodemod.engine.suppress import suppress
from mmcodemod.model.finding import Finding
from mmcodemod.model.grade import Severity
from mmcodemod.model.place import Place
from mmcodemod.source.tree import MemoryTree, text_tree

NAMES = {
    "MM201": "modality-conditional-forward",
    "MM303": "ds-gradient-clipping-absent",
    "MM901": "unused-suppression",
    "MM902": "malformed-suppression",
}


def finding(line, rule="MM201", path="x.py", last=0):
    return Finding(rule, Place(path, line, 1, last, 1 if last else 0), "Message.", Severity.ERROR)


def outcome(text, *findings, path="x.py"):
    kept, silenced, unused = suppress(text_tree({path: text}), findings, NAMES)
    return len(kept), len(silenced), [(f.rule, f.at.line) for f in unused]


@pytest.mark.parametrize("name", ["MM201", "MM2", "modality-conditional-forward", "MM303, MM201", " MM201 "])
def test_on_the_line_by_code_prefix_or_name(name):
    kept, silenced, _ = outcome(f"x()  # mmcodemod: ignore[{name}] a reason\n", finding(1))
    assert (kept, silenced) == (0, 1)


def test_alone_on_the_line_above_and_stacked():
    text = "# mmcodemod: ignore[MM303] one\n# mmcodemod: ignore[MM201] two\n# prose\nx()\n"
    assert outcome(text, finding(4), finding(4, "MM303")) == (0, 2, [])


def test_behind_code_it_does_not_speak_of_the_next_line():
    assert outcome("y()  # mmcodemod: ignore[MM201]\nx()\n", finding(2)) == (1, 0, [("MM901", 1)])


def test_on_the_last_line_of_a_statement():
    assert outcome("x(\n  1,\n)  # mmcodemod: ignore[MM201]\n", finding(1, last=3)) == (0, 1, [])


def test_other_comments_may_share_the_line():
    assert outcome("x()  # noqa: E501  # mmcodemod:ignore[MM201]\n", finding(1)) == (0, 1, [])


def test_strings_and_docstrings_do_not_count():
    text = '"""\n# mmcodemod: ignore[MM201]\n"""\nx("# mmcodemod: ignore[MM201]")\n'
    assert outcome(text, finding(4)) == (1, 0, [])


@pytest.mark.parametrize("name", ["MM", "M", "", "MM20 1", "mm201", "MM2011"])
def test_what_names_no_rule_silences_nothing(name):
    kept, silenced, unused = outcome(f"x()  # mmcodemod: ignore[{name}]\n", finding(1))
    assert (kept, silenced, len(unused)) == (1, 0, 1)


@pytest.mark.parametrize("comment", ["ignore", "ignore all", "ignore[]", "ignore MM201", "ignore[MM201"])
def test_without_brackets_it_is_malformed(comment):
    assert outcome(f"x()  # mmcodemod: {comment}\n", finding(1)) == (1, 0, [("MM902", 1)])


def test_prose_about_mmcodemod_is_left_alone():
    assert outcome("# mmcodemod: our linter\n# see mmcodemod: ignore comments\n") == (0, 0, [])


def test_unused_names_only_the_idle_part():
    found = suppress(text_tree({"x.py": "x()  # mmcodemod: ignore[MM201, MM303]\n"}), [finding(1)], NAMES)
    assert found.unused[0].message == "This comment silences no finding of MM303."
    assert found.unused[0].at == Place("x.py", 1, 6, 1, 39)


def test_unused_says_when_no_rule_has_the_name():
    found = suppress(text_tree({"x.py": "x()  # mmcodemod: ignore[MM777]\n"}), [], NAMES)
    assert "No rule is called MM777." in found.unused[0].message


def test_rules_that_did_not_run_are_not_called_unused():
    tree = text_tree({"x.py": "# mmcodemod: ignore[MM303]\n# mmcodemod: ignore\nx()\n"})
    assert suppress(tree, [], NAMES, ran=lambda code: code == "MM201").unused == ()
    assert len(suppress(tree, [], NAMES, ran=lambda code: code != "MM303").unused) == 1


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.yaml", "bf16: true  # mmcodemod: ignore[MM201] yes"),
        ("a.yml", "name: don't  # mmcodemod: ignore[MM201]"),
        ("run.sh", "deepspeed 'a # b' --x \\# c # mmcodemod: ignore[MM201]"),
        ("run.sh", "\t# mmcodemod: ignore[MM201]"),
        ("ds.json", '"a": "http://x#y", // mmcodemod: ignore[MM201]'),
        ("ds.json", '"a": 1, /* mmcodemod: ignore[MM201] */'),
        ("ds.json", '"a": 1, # mmcodemod: ignore[MM201]'),
        ("requirements.txt", "deepspeed==0.1 # mmcodemod: ignore[MM201]"),
    ],
)
def test_comments_of_other_languages(path, line):
    row = 2 if line.startswith("\t") else 1
    assert outcome(f"{line}\nnext\n", finding(row, path=path), path=path) == (0, 1, [])


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.yaml", 'x: "# mmcodemod: ignore[MM201]"'),
        ("a.yaml", "x: a#mmcodemod: ignore[MM201]"),
        ("run.sh", "echo '# mmcodemod: ignore[MM201]'"),
        ("ds.json", '{"a": "// mmcodemod: ignore[MM201]"}'),
        ("README.md", "# mmcodemod: ignore[MM201]"),
    ],
)
def test_what_is_no_comment_elsewhere(path, line):
    assert outcome(f"{line}\n", finding(1, path=path), path=path) == (1, 0, [])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_form_feeds(end):
    text = end.join(["a = 1", "\x0cb = '\u2028'", "x()  # mmcodemod: ignore[MM201]", ""])
    assert outcome(text, finding(3)) == (0, 1, [])


def test_broken_files_do_not_stop_anything():
    files = {
        "a.py": b"x = (  # mmcodemod: ignore[MM201]\n",
        "b.py": b"\xff # mmcodemod: ignore[MM201]\n",
        "c.py": b"  x\n y # mmcodemod: ignore\n",
    }
    found = suppress(MemoryTree(files), [finding(1, path="a.py")], NAMES)
    assert len(found.suppressed) == 1
