"""Is a value made once in a run, before the steps? Then no batch decides it. A must-analysis: every caller
is known, and none of the calls that lead to where it is made stands in a loop."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Via
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.place import Place
from mmcodemod.project.arguments import argument, optional, spreads
from mmcodemod.project.flow import flow_of
from mmcodemod.project.modality import scope_of
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

MAX_DEPTH = 6
_DRAWS = ("next", "iter")  # what takes a batch from a loader


def made_once(project: Project, facts: FunctionFacts, name: str) -> list[Place]:
    """Where a run makes the value of a name, once; [] when a batch may decide it, or it does not show."""
    return sorted(_made(project, facts, name, 0) or (), key=lambda p: (p.path, p.line))


def _made(project: Project, facts: FunctionFacts, name: str, depth: int) -> set[Place] | None:
    if depth > MAX_DEPTH:
        return None
    scope = scope_of(facts, project.resolver.body(facts.id))
    if name in scope.parameters:
        return None if scope.body.names.get(name) else _given(project, facts, name, depth)
    sources = scope.body.names.get(name, ())
    stored = [p.value for p in scope.body.puts if isinstance(p.base, ast.Name) and p.base.id == name]
    flow = flow_of(project, facts.id)
    if not sources or any(flow.loops(s.expr) for s in (*sources, *stored)):
        return None
    if any(s.via is not Via.VALUE or _draws(s.expr) for s in sources) or not _runs_once(project, facts, 0):
        return None
    return {Place(facts.path, s.expr.lineno) for s in sources}


def _given(project: Project, facts: FunctionFacts, name: str, depth: int) -> set[Place] | None:
    """Where what all callers pass for a parameter is made."""
    found: set[Place] = set()
    for edge in project.callers(facts.id):
        if edge.site is None or is_stub(edge.caller.function):
            return None
        passed = argument(edge.call, facts, name)
        if passed is None and name in optional(facts) and not spreads(edge.call):
            continue
        held = _held(passed)
        caller = project.index.function(edge.caller.function)
        made = _made(project, caller, held, depth + 1) if held else None
        if made is None:
            return None
        found |= made
    return found or None


def _held(passed: ast.expr | None) -> str:
    """The name that holds what is passed: `data` in `data["val"].loader`."""
    while isinstance(passed, (ast.Subscript, ast.Attribute)):
        passed = passed.value
    return passed.id if isinstance(passed, ast.Name) else ""


def _draws(expr: ast.expr) -> bool:
    calls = [n.func for n in walk(expr) if isinstance(n, ast.Call)]
    return any(isinstance(f, ast.Name) and f.id in _DRAWS for f in calls)


def _runs_once(project: Project, facts: FunctionFacts, depth: int) -> bool:
    """Is a function called from module code alone, by way of others or not, and never in a loop?"""
    if facts.is_module:
        return True
    edges = project.callers(facts.id)
    return (
        bool(edges)
        and depth < MAX_DEPTH
        and all(
            edge.site is not None
            and not is_stub(edge.caller.function)
            and not flow_of(project, edge.caller.function).loops(edge.call)
            and _runs_once(project, project.index.function(edge.caller.function), depth + 1)
            for edge in edges
        )
    )
