"""Makes checkpointing reentrant, which holds on to no parameter.

before: args.gradient_checkpointing_kwargs = {"use_reentrant": False}
after:  args.gradient_checkpointing_kwargs = {"use_reentrant": True}
"""

from __future__ import annotations

import ast

from mmcodemod.api import (
    Applicability,
    Edit,
    Fatal,
    Finding,
    Fix,
    Place,
    Project,
    Site,
    Strategy,
    checkpointing,
    comes_by,
    versions,
)

INPUTS = "enable_input_require_grads"
CONFLICTS = (Strategy.DDP, Strategy.FSDP1, Strategy.FSDP2)  # which may need it the other way round
KWARGS = f'{checkpointing.KWARGS}={{"{checkpointing.KEY}": True}}'
RENAMED = "5.23.0"  # transformers fills `activation_checkpointing_kwargs` when the arguments are made
LATE = f"give `{checkpointing.KWARGS}` to the arguments when they are made: afterwards it is not read"
SHOWN = f'set "{checkpointing.KEY}" to true under ZeRO-3, or use deepspeed 0.19.3 or later'


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """`True` in place of `False`, or the keyword where nothing is given."""
    new = _written(site)
    if new is None or _shared(project, site):
        return Fix(SHOWN, Applicability.DISPLAY)
    if _too_late(project, site):
        return Fix(LATE, Applicability.DISPLAY)
    safe = all(_inputs_train(project, site, i) for i in finding.contexts) and bool(finding.contexts)
    how = Applicability.SAFE if safe else Applicability.UNSAFE
    return Fix(f'set "{checkpointing.KEY}": True', how, (new,))


def _written(site: Site) -> Edit | None:
    at: Place = site.at
    if isinstance(site.data, ast.Call):  # `model.gradient_checkpointing_enable()`
        end = (at.last_line, (at.end_column or 1) - 1)
        return Edit(at.path, end, end, KWARGS)
    if isinstance(site.node, ast.Constant) and site.node.value is False:
        return Edit(at.path, (at.line, at.column), (at.last_line, at.end_column or at.column + 5), "True")
    return None


def _too_late(project: Project, site: Site) -> bool:
    """Is it assigned to arguments that are made already, with a transformers that does not read it then?"""
    found = site.data
    assigned = isinstance(found, checkpointing.Written) and found.taker is checkpointing.Taker.TRAINER
    new = any(versions.below(c, "transformers", RENAMED) is False for c in project.contexts)
    return assigned and found.call is None and new


def _shared(project: Project, site: Site) -> bool:
    """Does a launch run the same line that may need it the other way round?"""
    return any(
        context.strategy in CONFLICTS and context.entry and site.function in project.reach(context.entry)
        for context in project.contexts
    )


def _inputs_train(project: Project, site: Site, name: str) -> bool:
    """Does the run make the inputs of the layers require gradients, without which reentrant checkpointing
    computes none (MM311)?"""
    context = next((c for c in project.contexts if c.id == name), None)
    if context is None or context.entry is None:
        return False
    return any(
        isinstance(comes_by(project, context, facts.id, call), Fatal)
        for facts in project.mentioning(INPUTS)
        if facts.id in project.reach(context.entry)
        for call in project.calls_of(facts.id, (INPUTS,))
    )
