"""Clips that stand where no gradient is left for them: after the step, or before the backward pass.
Must-analysis of one block of one loop without `continue`, in which all of them stand side by side, with one
backward pass and a `zero_grad`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html (it changes the
gradients that are there)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from mmcodemod.facts.syntax import walk
from mmcodemod.project.flow import LOOPS, flow_of, start_of
from mmcodemod.project.gradients import GradCall
from mmcodemod.project.model import Project

Calls = Sequence[GradCall]


def idle_clips(project: Project, steps: Calls, passes: Calls, clips: Calls) -> list[GradCall]:
    """The clips of a loop, where none of them changes a gradient that its only step uses."""
    if len(passes) != 1 or len(steps) != 1 or not clips or any(g.via for g in (*steps, *passes, *clips)):
        return []
    function = steps[0].function
    zeroes = project.calls_of(function, ("zero_grad",))
    calls = [g.call for g in (*steps, *passes, *clips)]
    if not zeroes or not _side_by_side(project, function, [*calls, *zeroes]):
        return []
    return [] if any(_counts(c.call, passes[0].call, steps[0].call) for c in clips) else list(clips)


def _side_by_side(project: Project, function: str, calls: list[ast.Call]) -> bool:
    """Are all of them statements of their own in the body of one loop?"""
    flow = flow_of(project, function)
    statements = [flow.statement_of(call) for call in calls]
    parents = {id(flow.parent(s)): flow.parent(s) for s in statements if s is not None}
    loop = next(iter(parents.values()), None)
    alone = all(isinstance(s, (ast.Expr, ast.Assign)) for s in statements)
    if not alone or len(parents) != 1 or not isinstance(loop, LOOPS):
        return False
    again = any(isinstance(node, ast.Continue) for node in walk(loop))
    return not again and all(statement in loop.body for statement in statements)


def _counts(clip: ast.Call, backward: ast.Call, step: ast.Call) -> bool:
    """Does it stand between the backward pass and the next step, in this turn of the loop or over its end?"""
    if start_of(backward) < start_of(step):
        return start_of(backward) < start_of(clip) < start_of(step)
    return not start_of(step) < start_of(clip) < start_of(backward)
