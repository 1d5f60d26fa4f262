"""Runs that settings of their launch keep out of a function: each call that leads there stands where a flag
does not let them in (`if args.eval_only: ...; return`). Must-analysis: a call that is guessed, or made by a
library, may lead there as well."""

from __future__ import annotations

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.finding import Note
from mmcodemod.model.grade import How
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.model import Project
from mmcodemod.project.reach import roots
from mmcodemod.project.skipped import skipped_by

MAX_DEPTH = 4


def switched_off(project: Project, context: Context, function: str) -> Note | None:
    """The setting that keeps a launched run out of `function`; None when it may get there."""
    return _shut(project, context, function, MAX_DEPTH) if context.origin is Origin.LAUNCHED else None


def _shut(project: Project, context: Context, function: str, levels: int) -> Note | None:
    calls = _calls(project, context, function) if levels else []
    first = None
    for edge in calls:
        caller = edge.caller.function
        note = skipped_by(project, context, caller, edge.call, switches=True)
        note = note or _shut(project, context, caller, levels - 1)
        if note is None:
            return None
        first = first or note
    return first


def _calls(project: Project, context: Context, function: str) -> list[Edge]:
    """The calls by which the run may get into a function; none where others may lead there, too."""
    entry = context.entry
    if entry is None or any(function == root.function for root in roots(project.index, entry)):
        return []
    reach = project.reach(entry)
    found = [e for e in project.callers(function) if e.caller.function in reach]
    return [] if any(_guessed(e) for e in found) else found


def _guessed(edge: Edge) -> bool:
    return edge.site is None or edge.how is How.NAME_ONLY or edge.caller.function.startswith("<")
