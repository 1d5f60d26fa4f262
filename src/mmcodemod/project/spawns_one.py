"""Does a run that may call `torch.multiprocessing.spawn` start one process all the same? Its `nprocs` is 1 by
the launch or by the code, or the launch keeps it from every such call. Must-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Excluded
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.visible_devices import one_visible

_NPROCS = 2  # its place among the arguments


def spawns_one(project: Project, context: Context, calls: Iterable[tuple[str, ast.Call]]) -> Note | None:
    """What says so of the calls that spawn, each with its function; None when it does not show of one."""
    notes = [_one(project, context, function, call) for function, call in calls]
    return notes[0] if notes and all(notes) else None


def _one(project: Project, context: Context, function: str, call: ast.Call) -> Note | None:
    return _asks_for_one(project, context, function, call) or _kept_from(project, context, function, call)


def _asks_for_one(project: Project, context: Context, function: str, call: ast.Call) -> Note | None:
    """What a flag is by default says nothing: who writes it means several."""
    given = [k.value for k in call.keywords if k.arg == "nprocs"] or call.args[_NPROCS : _NPROCS + 1]
    found = Settings(project, context).of(given[0], function) if given else frozenset()
    if not found or not all(s.value == 1 and (s.given or not s.flag) for s in found):
        return None
    told = min((s.at for s in found if s.at), default=project.place(function.partition("::")[0], call))
    return Note(told, f"{unparse(call.func)} starts one process")


def _kept_from(project: Project, context: Context, function: str, call: ast.Call) -> Note | None:
    """Of an entry that nothing launches, only the one GPU that the run sees may say so."""
    if context.origin is not Origin.LAUNCHED and one_visible(project, context) is None:
        return None
    answer = comes_by(project, context, function, call)
    return answer.why if isinstance(answer, Excluded) else None
