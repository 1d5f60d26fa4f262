"""The main rank saves and leaves its loop by a test, and the others leave it by the same test right behind.
Must-analysis of the statements between the two."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from mmcodemod.facts.reads import dotted_name
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.project.flow import flow_of
from mmcodemod.project.local_data import trains_in
from mmcodemod.project.model import Project

_JUMPS = (ast.Break, ast.Continue, ast.Return, ast.Raise)


def left_together(project: Project, function: str, gate: ast.If, leaver: ast.stmt) -> bool:
    """Do the ranks that a gate keeps out leave the same loop, by the test that the leaver stands under in
    it?"""
    asked = _asked(project, function, gate, leaver)
    between: list[ast.stmt] = []
    for statement in flow_of(project, function).following(gate) if asked is not None else ():
        if isinstance(statement, ast.If) and unparse(statement.test) == asked:
            ends = isinstance(statement.body[-1], ast.Break)
            return ends and _repeatable(statement.test) and _unchanged(statement.test, [gate, *between])
        if trains_in(project, function, statement) or any(isinstance(n, _JUMPS) for n in walk(statement)):
            return False
        between.append(statement)
    return False


def _asked(project: Project, function: str, gate: ast.If, leaver: ast.stmt) -> str | None:
    """The only test in a gate, which lets in to the leaver, a `break`; None where there is more to it."""
    around = flow_of(project, function).ancestors(leaver)
    inner = around[: around.index(gate)]
    test = inner[0] if len(inner) == 1 and not gate.orelse and isinstance(leaver, ast.Break) else None
    return unparse(test.test) if isinstance(test, ast.If) and leaver in test.body else None


def _repeatable(test: ast.expr) -> bool:
    """Does nothing run where it is asked, so that asking it again gives the same?"""
    return not any(isinstance(part, (ast.Call, ast.Await, ast.NamedExpr)) for part in walk(test))


def _unchanged(test: ast.expr, between: Iterable[ast.stmt]) -> bool:
    """Is nothing of what the test reads given another value on the way?"""
    read = {dotted_name(n) for n in walk(test) if isinstance(n, (ast.Name, ast.Attribute))}
    parts = (n for statement in between for n in walk(statement))
    stored = (n for n in parts if isinstance(getattr(n, "ctx", None), (ast.Store, ast.Del)))
    return read.isdisjoint(dotted_name(n) for n in stored if isinstance(n, (ast.Name, ast.Attribute)))
