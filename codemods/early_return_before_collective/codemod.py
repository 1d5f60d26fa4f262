"""Turns the guard round: what one rank alone does gets it, the collective is for all.

before: if rank != 0:
            return
        write()
        dist.barrier()
after:  if rank == 0:
            write()
        dist.barrier()
"""

from __future__ import annotations

import ast

from mmcodemod.api import (
    Applicability,
    Cause,
    Divergence,
    Finding,
    Fix,
    Project,
    Side,
    Site,
    TakenOut,
    call_at,
    turned_round,
)


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The opposite guard around the rest; shown only where the rest is not simple enough for it."""
    found: Divergence = site.data
    name = f"`{found.letters[0].name}`"
    turned = _turned(project, site, found)
    if turned:
        title = f"guard what one rank alone does, and let every rank call {name}"
        return Fix(title, Applicability.UNSAFE, turned.edits)
    if found.side is None:
        advice = f"decide on one rank and broadcast the decision before {name}"
        return Fix(advice, Applicability.DISPLAY)
    advice = f"let every rank get to {name}: put what one rank alone does under a guard, and do not leave"
    return Fix(advice, Applicability.DISPLAY)


def _turned(project: Project, site: Site, found: Divergence) -> TakenOut | None:
    calls = [call_at(project, letter, found.frame) for letter in found.orelse]
    whole = found.side is Side.OTHERS and not found.then and all(call is not None for call in calls)
    if not whole or found.cause is not Cause.LEAVE or not isinstance(site.node, ast.If):
        return None
    return turned_round(project, site, found.frame, [call for call in calls if call is not None])
