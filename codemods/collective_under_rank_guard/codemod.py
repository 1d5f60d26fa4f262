"""Takes the collective calls out of the guard; what stands before and after them keeps it.

before: if rank == 0:
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
    Divergence,
    Finding,
    Fix,
    Project,
    Side,
    Site,
    TakenOut,
    call_at,
    taken_out,
)


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The calls behind or before the guard; shown only where they cannot be taken out as they are."""
    found: Divergence = site.data
    names = " and ".join(dict.fromkeys(f"`{letter.name}`" for letter in found.letters[:2]))
    taken = _taken(project, site, found)
    if taken:
        return Fix(f"let every rank call {names}", Applicability.UNSAFE, taken.edits)
    return Fix(
        f"let every rank get to {names}, and guard only what one rank alone may do", Applicability.DISPLAY
    )


def _taken(project: Project, site: Site, found: Divergence) -> TakenOut | None:
    calls = [call_at(project, letter, found.frame) for letter in found.then]
    whole = found.side is Side.MAIN and not found.orelse and all(call is not None for call in calls)
    if not whole or not isinstance(site.node, ast.If):
        return None
    return taken_out(project, site, found.frame, [call for call in calls if call is not None])
