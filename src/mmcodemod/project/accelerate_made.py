"""Runs for which Accelerate makes DeepSpeed's configuration out of its own file."""

from __future__ import annotations

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.place import Place
from mmcodemod.project.deepspeed_config import STAGE
from mmcodemod.project.model import Project
from mmcodemod.project.plugin_configs import MADE_BY_PLUGIN

_FLAG = "accelerate.zero_stage"
OWN = "accelerate.deepspeed_config"  # options of that file
_FILE = "deepspeed_config_file"


def made_by_accelerate(project: Project) -> dict[Place, list[Context]]:
    """The launched ones, by the line with the stage of ZeRO."""
    found: dict[Place, list[Context]] = {}
    for context in project.contexts:
        at = context.option(f"{OWN}.zero_stage").at
        if at is not None and context.origin is Origin.LAUNCHED and context.strategy.is_deepspeed:
            if not any(name.endswith(_FILE) for name in context.options):
                found.setdefault(at, []).append(context)
    return found


def made_without_file(project: Project) -> dict[Place, list[Context]]:
    """The launched ones of which neither is a file: flags of `accelerate launch`, or a DeepSpeedPlugin of the
    code, by the place with the stage."""
    found: dict[Place, list[Context]] = {}
    for context in project.contexts:
        at, named = context.option(STAGE).at, context.option("deepspeed").value
        flags = at is not None and at == context.option(_FLAG).at
        if at is not None and context.origin is Origin.LAUNCHED and (flags or named == MADE_BY_PLUGIN):
            found.setdefault(at, []).append(context)
    return found
