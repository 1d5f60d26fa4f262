"""Lets every rank make the save; the library writes on the main rank by itself.

before: if trainer.args.should_save:
            trainer.save_model(output_dir)
after:  trainer.save_model(output_dir)

before: if accelerator.is_main_process:
            torch.save(accelerator.get_state_dict(model), path)
after:  state_dict = accelerator.get_state_dict(model)
        if accelerator.is_main_process:
            torch.save(state_dict, path)
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
    SavedByAll,
    Side,
    Site,
    TakenOut,
    call_at,
    only_after_failure,
    taken_out,
)

HOOK = "register_save_state_pre_hook"


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The saves out of the guard: safe where nothing else but messages, folders and configuration files stays
    behind; shown only where they cannot be taken out as they are."""
    if isinstance(site.data, SavedByAll):
        advice = "reduce the value over all ranks first (`torch.distributed.all_reduce`), and ask that"
        return Fix(advice, Applicability.DISPLAY)
    found: Divergence = site.data
    names = " and ".join(dict.fromkeys(f"`{x.name}`" for x in found.letters if x.hidden))
    taken = _taken(project, site, found)
    if taken is None:
        advice = f"call {names} on every rank, and guard only what one rank alone may do"
        return Fix(advice, Applicability.DISPLAY)
    harmless = taken.harmless and not _hooked(project, site, names)
    safe = Applicability.SAFE if harmless else Applicability.UNSAFE
    return Fix(f"call {names} on every rank", safe, taken.edits)


def _hooked(project: Project, site: Site, names: str) -> bool:
    """Does the file hook code of its own into save_state, which may count on running on one rank?"""
    return "save_state" in names and HOOK in project.index.text(site.path)


def _taken(project: Project, site: Site, found: Divergence) -> TakenOut | None:
    calls = [call_at(project, letter, found.frame) for letter in found.then if letter.hidden]
    if any(only_after_failure(project, found, letter) for letter in found.then):
        return None  # the other ranks need not fail, or be sent a signal
    whole = found.side is Side.MAIN and not found.orelse and all(call is not None for call in calls)
    if not whole or found.cause is not Cause.ARM or not isinstance(site.node, ast.If):
        return None
    return taken_out(project, site, found.frame, [call for call in calls if call is not None])
