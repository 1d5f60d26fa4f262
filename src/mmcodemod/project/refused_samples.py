"""Where code gives up: a sample, because all or none of something holds in it (what the filter means does not
show); or the run, because a number is not finite. May-analysis."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import FunctionNode
from mmcodemod.model.context import Context
from mmcodemod.model.place import Place
from mmcodemod.project.flow import leaves
from mmcodemod.project.model import Project

_QUESTIONS = ("all", "any")
_FINITE = ("isfinite", "isnan", "isinf")
_EXITS = ("exit", "_exit", "quit", "abort")


def refused_samples(project: Project) -> Place | None:
    """The first `if torch.all(mask): raise` (or return, or continue) outside of forward passes. Use through
    `project.get`."""
    forward = {facts.id for facts in project.forward_functions()}
    for facts in project.mentioning("all(", "any("):
        if facts.id in project.trained and facts.id not in forward and not facts.is_module:
            found = _first(facts.node) if project.calls_of(facts.id, _QUESTIONS) else None
            if found is not None:
                return project.place(facts.path, found)
    return None


def _first(function: FunctionNode) -> ast.expr | None:
    tests = [n for n in own_nodes(function) if isinstance(n, ast.If) and leaves(n.body)]
    return next((t.test for t in sorted(tests, key=lambda t: t.lineno) if _asks(t.test)), None)


def _asks(test: ast.expr) -> bool:
    """`torch.all(mask)`, `mask.all()`, `not mask.any()`; `all` of Python's own asks about anything."""
    if isinstance(test, ast.UnaryOp):
        test = test.operand
    called = test.func if isinstance(test, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in _QUESTIONS


def stops_at_nan(project: Project, context: Context) -> Place | None:
    """The first test in the code of a run that ends it where a number is not finite."""
    if context.entry is None:
        return None
    reach = project.reach(context.entry)
    return next((at for function, at in project.get(_stops) if function in reach), None)


def _stops(project: Project) -> list[tuple[str, Place]]:
    """(function, place) of all such tests in training code."""
    found = []
    for facts in project.mentioning(*_FINITE):
        if facts.id in project.trained and project.calls_of(facts.id, _FINITE):
            tests = [n for n in own_nodes(facts.node) if isinstance(n, ast.If) and _about_finite(n.test)]
            ending = [t for t in tests if any(_ends(s) for s in t.body)]
            found += [(facts.id, project.place(facts.path, t.test)) for t in ending]
    return found


def _about_finite(test: ast.expr) -> bool:
    return any(isinstance(n, ast.Call) and bare_name(n.func) in _FINITE for n in own_nodes(test))


def _ends(statement: ast.stmt) -> bool:
    """`raise ...`, `sys.exit(...)`"""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return bare_name(statement.value.func) in _EXITS
    return isinstance(statement, ast.Raise)
