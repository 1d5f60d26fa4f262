"""Loops of updates inside a round of another loop, as the epochs over a rollout in reinforcement learning: a
round is no training step there. May-analysis of the calls that a round leads to."""

from __future__ import annotations

import ast

from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.project.flow import Loop, flow_of
from mmcodemod.project.gradients import BACKWARDS, STEPS, Grad, GradCall
from mmcodemod.project.model import Project

_Loops = dict[tuple[str, int], Loop]  # by function, and the id of the loop


def updates_below(project: Project, function: str, loop: Loop, found: list[GradCall]) -> Note | None:
    """The first loop below `loop` that runs a backward pass and steps an optimizer in each of its rounds, of
    what the rounds of `loop` lead to."""
    engines = [_below(project, function, loop, ends) for ends in found if ends.kind is Grad.ENGINE]
    passed = [_below(project, function, loop, ends) for ends in found if ends.kind in BACKWARDS]
    stepped = [_below(project, function, loop, ends) for ends in found if ends.kind in STEPS]
    both = {key for one in passed for key in one} & {key for one in stepped for key in one}
    every = {key: node for one in (*engines, *stepped) for key, node in one.items()}
    keys = both | {key for one in engines for key in one}
    first = min(keys, key=lambda key: (key[0], every[key].lineno), default=None)
    if first is None:
        return None
    place = Place(first[0].partition("::")[0], every[first].lineno)
    return Note(place, "each round of the outer loop makes all the updates of this one")


def _below(project: Project, function: str, loop: Loop, ends: GradCall) -> _Loops:
    """The loops around a call, below a loop of the function that leads to it."""
    ways: list[tuple[ast.Call, str]] = [*ends.via[1:], (ends.call, ends.function)] if ends.via else []
    below = {(where, id(one)): one for call, where in ways for one in flow_of(project, where).loops(call)}
    around = flow_of(project, function).loops(ends.top)
    inner = around[: around.index(loop)] if loop in around else []
    return below | {(function, id(one)): one for one in inner}
