"""The lines of a function on which training may begin or go on: calls that lead to a training step, and steps
of its own. May-analysis over the call graph; a call by a mere name is no sign."""

from __future__ import annotations

from mmcodemod.facts.terms import last_name
from mmcodemod.model.grade import How
from mmcodemod.project.closure import closure
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

_OWN = ("backward", "initialize", "fit", "train")


def training_lines(project: Project, function: str) -> set[int]:
    """All of them, in no order."""
    leading, steps = project.get(_leading)
    lines = set[int]()
    for frame in project.frames(function):
        for edge in project.graph.edges.get(frame, ()):
            if edge.site is not None and edge.how is not How.NAME_ONLY and edge.callee.function in leading:
                lines.add(edge.line)
    if function in steps:
        calls = project.index.function(function).body.calls
        lines |= {call.lineno for call in calls if last_name(call) in _OWN}
    return lines


def _leading(project: Project) -> tuple[frozenset[str], frozenset[str]]:
    """The functions that lead to a training step, and those of the tree that hold one."""
    steps = project.steps
    found = closure(sorted(steps), lambda function: _callers(project, function))
    return frozenset(found), frozenset(f for f in steps if not is_stub(f))


def _callers(project: Project, function: str) -> list[str]:
    edges = (e for e in project.callers(function) if e.site is not None and e.how is not How.NAME_ONLY)
    return [edge.caller.function for edge in edges]
