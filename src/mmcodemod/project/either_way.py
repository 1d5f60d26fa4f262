"""Tests that stay open and do not matter: the same failure stands behind both of their outcomes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from mmcodemod.model.context import Context
from mmcodemod.project.comes_by import Tests, open_tests
from mmcodemod.project.model import Project

Fails = Callable[[ast.Call, Tests], bool]
"""Does the run surely fail at this call, once these tests let it in?"""


def either_way(
    project: Project,
    context: Context,
    function: str,
    node: ast.AST,
    others: Iterable[ast.Call],
    fails: Fails,
) -> Tests:
    """The open tests around `node` on whose other side the run fails as well, at one of the `others` of the
    same function."""
    asked = open_tests(project, context, function, node)
    ways = [(o, open_tests(project, context, function, o)) for o in others] if asked else []
    known = {way for other, way in ways if way and fails(other, way)}
    known |= _united(known)
    return asked - sorted(_shorter(asked, known), key=_order)[0]


def _order(way: Tests) -> tuple[int, list[tuple[int, int]]]:
    """Fewest first, in the order of the source where they are as many."""
    return len(way), sorted((test.lineno, test.col_offset) for test, _ in way)


def _united(ways: set[Tests]) -> set[Tests]:
    """All that the ways to a failure come to, where they complement one another."""
    found, before = ways, set[Tests]()
    while found != before:
        before = found
        found = {short for way in before for short in _shorter(way, before)}
    return found


def _shorter(way: Tests, known: set[Tests]) -> set[Tests]:
    """A way, and what is left of it without the tests that do not matter."""
    found, todo = {way}, [way]
    while todo:
        now = todo.pop()
        shorter = {now - {test} for test in now if _matched(now, test, known)} - found
        found |= shorter
        todo += shorter
    return found


def _matched(way: Tests, test: tuple[ast.If, bool], known: set[Tests]) -> bool:
    """Does the run fail on the other side of a test, too, with nothing more to depend on?"""
    other, rest = (test[0], not test[1]), way - {test}
    return any(other in one and one - {other} <= rest for one in known)
