"""Does a run come by a divergence, or by the collective behind it, only where it fails, or is sent a signal?
Must-analysis over `except` branches, handlers of signals, and hooks of Lightning."""

from __future__ import annotations

from mmcodemod.knowledge.lightning_saves import ON_FAILURE
from mmcodemod.project.divergence import Divergence
from mmcodemod.project.failing import caught, on_failure
from mmcodemod.project.model import Project
from mmcodemod.project.rank_tests import call_at, node_of
from mmcodemod.project.sequences import Letter

MAX_DEPTH = 4
FACT = "whether the run fails or is sent a signal: nothing else leads here"


def only_after_failure(project: Project, found: Divergence, letter: Letter) -> str:
    """The open fact, "" where a run also comes by without a failure."""
    function = found.frame.function
    own = (node_of(project, found), call_at(project, letter, found.frame))
    places = [(function, node) for node in own if node is not None]
    places += [(e.caller.function, e.call) for e in letter.via if e.site is not None]
    if any(caught(project, *place) for place in places) or _only_so(project, function, MAX_DEPTH):
        return FACT
    return ""


def _only_so(project: Project, function: str, depth: int) -> bool:
    """Is every call of a function one that a failure or a signal leads to?"""
    if function.rpartition(".")[2] in ON_FAILURE:
        return True
    calls = [e for e in project.callers(function) if e.site is not None]
    deeper = depth > 0 and bool(calls)
    return deeper and all(
        on_failure(project, e) or _only_so(project, e.caller.function, depth - 1) for e in calls
    )
