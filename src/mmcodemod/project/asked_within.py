"""A test on the rank that a function makes (`if self.judges():`) may ask for more than the rank: what else
the function wants is as open there as where it is written out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from mmcodemod.facts.syntax import unparse
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.model import Project
from mmcodemod.project.parts_of_tests import parts_of

MAX_DEPTH = 3  # functions that are looked into, one inside the other
Settled = Callable[[str, ast.expr, bool], bool]


def open_within(
    project: Project, function: str, part: ast.expr, outcome: bool, settled: Settled, depth: int = 0
) -> str:
    """What the functions that a call may mean ask for beside what is settled; "" where one of them asks for
    nothing else, or does more than to return one test."""
    if not isinstance(part, ast.Call) or depth == MAX_DEPTH:
        return ""
    found = []
    for inner, test in _returned(project, function, part):
        parts = parts_of(test, outcome) if test is not None else ()
        found.append(next(_open(project, inner, parts, outcome, settled, depth), ""))
    return found[0] if found and all(found) else ""


def _open(
    project: Project, function: str, parts: Sequence[ast.expr], outcome: bool, settled: Settled, depth: int
) -> Iterator[str]:
    for part in parts:
        deeper = open_within(project, function, part, outcome, settled, depth + 1)
        if deeper:
            yield deeper
        elif not settled(function, part, outcome):
            yield f"whether `{unparse(part)}` is {str(outcome).lower()}"


def _returned(project: Project, function: str, call: ast.Call) -> Iterator[tuple[str, ast.expr | None]]:
    """The one expression that each function returns which a call may mean, None for another kind of one."""
    sites = project.get(CallSites)
    seen = set()
    for frame in project.frames(function):
        calls = sites.of(frame)
        for edge in calls.edges.get(calls.ordinals.get(id(call), -1), ()):
            if edge.callee.function not in seen:
                seen.add(edge.callee.function)
                returns = project.resolver.body(edge.callee.function).returns
                yield edge.callee.function, returns[0] if len(returns) == 1 else None
