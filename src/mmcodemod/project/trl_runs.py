"""Does a run train with a trainer of trl?"""

from __future__ import annotations

from mmcodemod.model.context import Context
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import MODELS

_TRL = f"{MODELS}/trl.py::"


def uses_trl(project: Project, context: Context) -> bool:
    """May: by the methods of trl's trainers that the run reaches."""
    reached = project.reach(context.entry).functions if context.entry else set()
    return any(function.startswith(_TRL) and "Trainer" in function for function in reached)
