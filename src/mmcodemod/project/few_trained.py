"""Runs that train few parameters: adapters, or the projector of a multimodal model. Must-analysis: an option
says so, or the run makes adapters whatever its options are."""

from __future__ import annotations

import re

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.project.adapters import lora
from mmcodemod.project.frozen import adapts
from mmcodemod.project.model import Project

# `--tune_mm_mlp_adapter True`: the options of projects for training a projector alone
_PROJECTOR = re.compile(r"tune_\w*(adapter|projector)")


def few_trained(project: Project, context: Context) -> Note | None:
    """The line that says that a run trains adapters or a projector, and what it trains."""
    option = lora(context)
    if option is not None and option.at is not None:
        return Note(option.at, "LoRA adapters")
    for name, given in sorted(context.options.items()):
        if _PROJECTOR.fullmatch(name) and given.value is True and given.at is not None:
            return Note(given.at, "the projector")
    at = adapts(project, context)
    return Note(at, "LoRA adapters") if at else None
