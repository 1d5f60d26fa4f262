"""Runs with a DeepSpeed configuration in which no engine makes a step, for whichever reason."""

from __future__ import annotations

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.project.engineless import engineless
from mmcodemod.project.model import Project
from mmcodemod.project.only_generates import only_generates
from mmcodemod.project.unpaired import unpaired


def never_steps(project: Project, context: Context) -> Note | None:
    """The line that shows it: the run stops at its first step, only generates, or no engine trains."""
    return unpaired(project, context) or only_generates(project, context) or engineless(project, context)
