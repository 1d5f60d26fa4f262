"""Tests that come out one way in any case, and what they no longer decide."""

from __future__ import annotations

import ast

import pytest

from mmcodemod.facts.decided import decided
from mmcodemod.facts.reads import Reader
from mmcodemod.project.flow import Flow

OUTCOMES = {
    "'image' or 'video' in row": True,
    "kind == 'image' or 'video'": True,
    "not ('image' or kind)": False,
    "kind and False": False,
    "1": True,
    "'image' and 'audio'": True,
    "None or 0 or ''": False,
    "(kind, 'told')": True,
    "[]": False,
    "'image' and 'video' in row": None,
    "kind or ''": None,
    "(*kinds,)": None,
    "kind": None,
}


def _expr(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize("text", list(OUTCOMES))
def test_outcome(text: str) -> None:
    assert decided(_expr(text)) is OUTCOMES[text]


def test_as_a_test_it_reads_nothing_and_as_a_value_it_does() -> None:
    reader, expr = Reader({}), _expr("rank or 1")
    assert reader.test(expr) == ("true", ())
    assert reader.form(expr) == ("or", ("true", ("rank",)), ("true", ()))


@pytest.mark.parametrize("text, outcomes", [("'a' or x", []), ("x and 0", [True]), ("x or y", [True])])
def test_what_always_holds_is_no_test_around(text: str, outcomes: list[bool]) -> None:
    node = ast.parse(f"def f(x, y):\n    if {text}:\n        g()\n").body[0]
    assert isinstance(node, ast.FunctionDef)
    call = next(n for n in ast.walk(node) if isinstance(n, ast.Call))
    assert [outcome for _, outcome in Flow(node).tests(call)] == outcomes
