"""Forwards of a DDP model without gradients. DDP broadcasts the buffers in the first of them alone, and
leaves out the broadcast of the forward after the last: where training goes on, a rank that ran them by itself
has made as many broadcasts as the others in the end. Source: `require_forward_param_sync` in
torch/nn/parallel/distributed.py."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import walk
from mmcodemod.knowledge.collectives import COLLECTIVES
from mmcodemod.project.divergence import Divergence
from mmcodemod.project.features import MAX_DEPTH, without_gradients
from mmcodemod.project.flow import flow_of, holds, start_of
from mmcodemod.project.forwards import call_of, last
from mmcodemod.project.local_data import trains_in
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import Letter

MAX_CALLS = 3  # between the loop that trains and the forward


def no_gradients(project: Project, found: Divergence, letter: Letter) -> bool:
    """Must: is the forward run under `no_grad`, in its function or in one that leads to it?"""
    steps = [(edge.caller, edge.call) for edge in letter.via if edge.site is not None]
    own = call_of(project, letter, found.frame)
    steps += [(last(letter, found.frame), own)] if own is not None else []
    return any(without_gradients(project, call, frame, MAX_DEPTH) for frame, call in steps)


def trains_on(project: Project, function: str, node: ast.AST, depth: int = 0) -> bool:
    """May: is a place in a loop that also trains, in its function or around a call of that, and no collective
    in the loops comes after it?"""
    loops = flow_of(project, function).loops(node)
    if any(trains_in(project, function, loop) for loop in loops):
        return not _waits_behind(project, function, node, loops[-1])
    calls = project.callers(function) if depth < MAX_CALLS else []
    shown = [e for e in calls if e.site is not None and not e.caller.function.startswith("<")]
    return any(trains_on(project, e.caller.function, e.call, depth + 1) for e in shown)


def _waits_behind(project: Project, function: str, node: ast.AST, loop: ast.stmt) -> bool:
    """Does a collective that shows come behind a place in a loop, before training goes on?"""
    calls = [n for n in walk(loop) if isinstance(n, ast.Call) and start_of(n) > start_of(node)]
    behind = (c for c in calls if not holds(node, c))
    return any(not project.names(c.func, function).isdisjoint(COLLECTIVES) for c in behind)
