"""Code that no run comes to, because it stands behind a statement of its block that ends the program or
leaves the block whatever tests say: `exit()`, `return`, `raise`. Must-analysis: what a `with` may swallow,
and what only some of the sides of a test do, is no end."""

from __future__ import annotations

import ast

from mmcodemod.facts.outline import MAIN, MODULE
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.finding import Note
from mmcodemod.project.flow import EXITS, flow_of, start_of
from mmcodemod.project.model import Project

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_ENDS = frozenset(f"<builtin>.{name}" if "." not in name else name for name in EXITS)

_Position = tuple[int, int]
_Dead = tuple[_Position, _Position, ast.stmt]
"""Where code begins and ends that never runs, and the statement before it."""


def behind_an_exit(project: Project, function: str, node: ast.AST) -> Note | None:
    """The line behind which `node` never runs; None when it may."""
    path, _, name = function.partition("::")
    # what a file does at its top ends it before its main guard
    for asked in (function, f"{path}::{MODULE}") if name == MAIN else (function,):
        for start, end, last in project.once(_dead, asked):
            if start <= start_of(node) < end:
                return Note(project.place(path, last), f"`{unparse(last)}` ends what runs here")
    return None


def _dead(project: Project, function: str) -> tuple[_Dead, ...]:
    found = []
    for statement in flow_of(project, function).statements:
        rest = flow_of(project, function).behind(statement)
        if rest and _ends(project, function, statement):
            found.append((start_of(rest[0]), _end_of(rest[-1]), statement))
    return tuple(found)


def _end_of(statement: ast.stmt) -> _Position:
    return statement.end_lineno or 0, statement.end_col_offset or 0


def _ends(project: Project, function: str, statement: ast.stmt) -> bool:
    """Does nothing behind the statement run in its block?"""
    if isinstance(statement, ast.If):
        sides = (statement.body, statement.orelse)
        return all(any(_ends(project, function, inner) for inner in side) for side in sides)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return isinstance(statement, _LEAVES)
    said = isinstance(call.func, (ast.Name, ast.Attribute)) and unparse(call.func) in EXITS
    names = project.names(call.func, function) if said else frozenset()
    return bool(names) and names <= _ENDS
