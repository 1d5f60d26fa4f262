"""The configuration: every mistake is told at once, with its line and what is near."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmcodemod.engine.config import ConfigError, of_text
from mmcodemod.engine.config_check import line_of

pytest.importorskip("tomllib")
NAMES = {"MM201": "modality-conditional-forward", "MM303": "ds-gradient-clipping-absent"}


def mistakes(text, file="pyproject.toml", names=NAMES):
    with pytest.raises(ConfigError) as caught:
        of_text(text, Path(file), names)
    return str(caught.value).splitlines()


EVERYTHING_WRONG = """\
[project]
select = "not ours"

[tool.mmcodemod]
selct = ["MM2"]
select = [
    "MM2",
    "MM999",
]
ignore = "MM3"
exclude = ["a", 1]
fail-on = "warn"
assume = ["torch==2.4", "deepspeed>=0.16", "torch==2.5"]
gpu-memory = "24"
baseline = 3
per_file_ignores = {}

[tool.mmcodemod.per-file-ignores]
"legacy/*" = ["modality-conditional-foward"]
"old/*" = "MM2"

[tool.ruff]
selct = []
"""


def test_all_mistakes_at_once_in_the_order_of_lines():
    assert mistakes(EVERYTHING_WRONG) == [
        "pyproject.toml:5: unknown key 'selct' (did you mean 'select'?)",
        "pyproject.toml:8: 'select': no rule is called 'MM999'",
        "pyproject.toml:10: 'ignore' is not a list of strings",
        "pyproject.toml:11: 'exclude' is not a list of strings",
        "pyproject.toml:12: 'fail-on' is one of error, warning, info (did you mean 'warning'?)",
        "pyproject.toml:13: 'assume' has two versions of torch: 2.4 and 2.5",
        "pyproject.toml:13: 'assume' wants NAME==VERSION (deepspeed==0.16.9), not 'deepspeed>=0.16'",
        "pyproject.toml:14: 'gpu-memory' wants a size with a unit (24GiB, 80GB), not '24'",
        "pyproject.toml:15: 'baseline' is not a string",
        "pyproject.toml:16: unknown key 'per_file_ignores' (did you mean 'per-file-ignores'?)",
        "pyproject.toml:19: 'per-file-ignores': no rule is called 'modality-conditional-foward' "
        "(did you mean modality-conditional-forward?)",
        "pyproject.toml:20: 'per-file-ignores.old/*' is not a list of strings",
    ]


def test_a_file_of_our_own_and_a_key_that_is_near_to_none():
    (line,) = mistakes("zzz = 1\n", "mmcodemod.toml")
    assert line.startswith("mmcodemod.toml:1: unknown key 'zzz' (known: select, ignore,")


def test_what_is_right_is_read():
    text = (
        '[tool.mmcodemod]\nselect = ["MM2", "ALL"]\nbaseline = "b.json"\nper-file-ignores = {"a" = ["MM3"]}\n'
    )
    found = of_text(text, Path("x/pyproject.toml"), NAMES)
    assert (found.select, found.baseline, found.path) == (("MM2", "ALL"), "b.json", "x/pyproject.toml")
    assert found.per_file_ignores == {"a": ("MM3",)}


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = 1\nb = \n", ":2"), ("a = 1\nb = [1,\n\n", ":2"), ("a = 1\na = 2", ":2"), ("[" * 9, ":1")],
)
def test_broken_toml_has_its_line(text, line):
    pytest.importorskip("tomllib")
    with pytest.raises(ConfigError) as caught:
        of_text(text, Path("mmcodemod.toml"))
    assert str(caught.value).startswith(f"mmcodemod.toml{line}: not valid TOML: ")


def test_without_names_rules_are_not_judged():
    assert of_text('select = ["MM999"]', Path("mmcodemod.toml")).select == ("MM999",)


@pytest.mark.parametrize(
    ("text", "key", "item", "line"),
    [
        ("[tool.mmcodemod]\n'select' = []\n", "select", "", 2),
        ("tool.mmcodemod.select = 1\n", "select", "", 1),
        ("tool = {mmcodemod = {ignore = 1}}\n", "ignore", "", 1),
        ("[tool.mmcodemod.fail-on]\nx = 1\n", "fail-on", "", 1),
        ("\nselect = [\n  'MM2',\n]\n", "select", "MM2", 3),
        ("", "select", "", 0),
    ],
)
def test_lines(text, key, item, line):
    assert line_of(text, key, item) == line
