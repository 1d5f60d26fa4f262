"""Lets all ranks decide together whether a step is skipped.

before: if torch.isnan(loss):
            continue
after:  skip = torch.tensor(float(torch.isnan(loss)), device=next(model.parameters()).device)
        torch.distributed.all_reduce(skip, op=torch.distributed.ReduceOp.MAX)
        if skip.item():
            continue
"""

from __future__ import annotations

import ast

from mmcodemod.api import (
    Applicability,
    Divergence,
    Edit,
    Finding,
    Fix,
    Project,
    Site,
    agreed,
    skips,
    together,
    wrappers,
)

NAMES = ("skip", "skip_step", "skip_on_all_ranks")
BY = (wrappers.DDP, wrappers.FSDP, wrappers.ENGINE)  # where there is a process group


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """One reduced flag; shown only where exceptions decide, or where the code has no model to ask for its
    device."""
    if isinstance(site.data, Divergence):
        advice = "let every rank make the call, with an empty part where it has no data"
        return Fix(advice, Applicability.DISPLAY)
    skip: skips.Skip = site.data
    if isinstance(skip.node, ast.Try):
        advice = "let the exception end the run, or run a backward pass of `loss * 0` in its place"
        return Fix(advice, Applicability.DISPLAY)
    title = "reduce the decision with `all_reduce(MAX)`, so that all ranks skip the step or none does"
    edits = _edits(project, site, skip)
    return Fix(title, Applicability.UNSAFE if edits else Applicability.DISPLAY, edits)


def _edits(project: Project, site: Site, skip: skips.Skip) -> tuple[Edit, ...]:
    """Where the `if` is what leaves, in the function that runs the wrapped model."""
    wrapped = together.wrapped_for(project, skip.passed, skip.function)
    if wrapped is None or wrapped.call is None or wrapped.wrap is None or wrapped.wrap.by not in BY:
        return ()
    leaves = isinstance(skip.leaver, (ast.Continue, ast.Return)) and skip.leaver in site.node.body
    model = wrapped.call.func
    if not leaves or skip.passed.function != skip.function or not isinstance(model, ast.Name):
        return ()
    return agreed(project, site, NAMES, model.id)
