"""The fix of MM901: what of an idle suppression is taken away, and what of its line stays."""

from __future__ import annotations

import pytest

from mmcodemod import pipeline
from mmcodemod.engine.fixing import fix_all
from mmcodemod.engine.plan import every
from mmcodemod.engine.suppress import suppress
from mmcodemod.model.finding import Finding
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.source.tree import MemoryTree, text_tree

NAMES = {"MM201": "modality-conditional-forward", "MM303": "ds-gradient-clipping-absent"}
NAMES |= {"MM901": "unused-suppression", "MM902": "malformed-suppression"}


def check(tree):
    """MM303 stands wherever a line holds `loud()`; comments are judged as in a real check."""
    loud = []
    for path in tree.paths:
        for number, line in enumerate(tree.read_bytes(path).decode().splitlines(), start=1):
            if "loud()" in line:
                loud.append(Finding("MM303", Place(path, number), "Loud.", Severity.ERROR, anchor="loud"))
    kept, _, unused = suppress(tree, loud, NAMES)
    return Report((*kept, *unused))


def mended(text, path="x.py"):
    done = fix_all(text_tree({path: text}), check, every(unsafe=False))
    again = fix_all(MemoryTree({path: text.encode(), **done.changed}), check, every(unsafe=False))
    assert not again.changed, "fixing twice changes something"
    return done.changed.get(path, text.encode()).decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x()  # mmcodemod: ignore[MM201] why\n", "x()\n"),
        ("x()\t# mmcodemod: ignore[MM201]", "x()"),
        ("# mmcodemod: ignore[MM201] why\nx()\n", "x()\n"),
        ("def f():\n    # mmcodemod: ignore[MM201]\n    x()\n", "def f():\n    x()\n"),
        ("x()\n# mmcodemod: ignore[MM201]", "x()\n"),
        ("loud()  # mmcodemod: ignore[MM201, MM303] why\n", "loud()  # mmcodemod: ignore[MM303] why\n"),
        ("loud()  # mmcodemod: ignore[ MM303,MM201,MM777 ]\n", "loud()  # mmcodemod: ignore[MM303]\n"),
        ("x()  # mmcodemod: ignore[MM201, MM777] why\n", "x()\n"),
        ("x()  # noqa: E501  # mmcodemod: ignore[MM201] why\n", "x()  # noqa: E501\n"),
        ("x()  # mmcodemod: ignore[MM201] why  # noqa: E501\n", "x()  # noqa: E501\n"),
        ("# fmt: off  # mmcodemod: ignore[MM201]\nx()\n", "# fmt: off\nx()\n"),
        ("# mmcodemod: ignore[MM201]\n# mmcodemod: ignore[MM303] b\nloud()\n",
         "# mmcodemod: ignore[MM303] b\nloud()\n"),
        ("x()  # mmcodemod: ignore[MM201] costs #3 a day\n", "x()\n"),
        ("x()  # mmcodemod: ignore[MM201]\r\ny()\r\n", "x()\r\ny()\r\n"),
        ("# mmcodemod: ignore[MM201]\r\nx()\r\n", "x()\r\n"),
    ],
)  # fmt: skip
def test_what_is_taken_away_in_python(text, expected):
    assert mended(text) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.sh", "# mmcodemod: ignore[MM201]\nrun x\n", "run x\n"),
        ("a.sh", "run x  # mmcodemod: ignore[MM201] y\n", "run x\n"),
        ("a.yaml", "a: 1  # mmcodemod: ignore[MM201]\nb: 2\n", "a: 1\nb: 2\n"),
        ("a.json", '{"a": 1, // mmcodemod: ignore[MM201]\n "b": 2}\n', '{"a": 1,\n "b": 2}\n'),
        ("a.json", '{"a": 1, /* mmcodemod: ignore[MM201] */ "b": 2}\n', '{"a": 1, "b": 2}\n'),
        ("a.json", '/* mmcodemod: ignore[MM201] */\n{"a": 1}\n', '{"a": 1}\n'),
        ("a.json", '/* mmcodemod: ignore[MM201] */ {"a": 1}\n', '{"a": 1}\n'),
        ("a.json", '{"a": 1} /* mmcodemod: ignore[MM201] */\n', '{"a": 1}\n'),
    ],
)
def test_what_is_taken_away_elsewhere(path, text, expected):
    assert mended(text, path) == expected


def test_an_unclosed_comment_of_several_lines_is_left():
    text = '/* mmcodemod: ignore[MM201]\n more */ {"a": 1}\n'
    assert mended(text, "a.json") == text


def test_a_malformed_suppression_has_no_fix():
    text = "x()  # mmcodemod: ignore\n"
    report = check(text_tree({"x.py": text}))
    assert [(f.rule, f.fix) for f in report.findings] == [("MM902", None)]
    assert mended(text) == text


def test_the_title_says_what_and_the_fix_is_safe():
    part, whole = check(
        text_tree({"x.py": "loud()  # mmcodemod: ignore[MM201, MM303]\ny()  # mmcodemod: ignore[MM201]\n"})
    ).findings
    assert part.fix.title == "remove MM201 from this comment"
    assert whole.fix.title == "remove this comment"
    assert part.fix.applicability is whole.fix.applicability is Applicability.SAFE


def test_a_mixed_file_is_mended_in_one_go():
    lines = [
        "x()  # mmcodemod: ignore[MM201]",
        "# mmcodemod: ignore[MM201]",
        "# mmcodemod: ignore[MM777]",
        "x()",
    ]
    assert mended("\n".join(lines) + "\n") == "x()\nx()\n"


def test_the_pipeline_offers_it():
    tree = text_tree({"x.py": "x = 1  # mmcodemod: ignore[MM201] once\n"})
    assert pipeline.fix(tree).changed == {"x.py": b"x = 1\n"}
    ignored = pipeline.Settings(per_file_ignores={"x.py": ("MM901",)})
    assert pipeline.fix(tree, ignored).changed == {}
