"""Runs whose one DeepSpeed configuration is a dictionary of the code. Must-analysis: what a run hands over at
several places may be for another engine."""

from __future__ import annotations

from mmcodemod.model.context import Context
from mmcodemod.model.place import Place
from mmcodemod.project.code_settings import DICTIONARY
from mmcodemod.project.model import Project


def code_dictionaries(project: Project) -> dict[Place, list[Context]]:
    """By the place that hands the dictionary to a library. Use through `project.get(code_dictionaries)`."""
    found: dict[Place, list[Context]] = {}
    for context in project.contexts:
        given = context.option("deepspeed")
        if given.value == DICTIONARY and given.at is not None and _is_only(project, context):
            found.setdefault(given.at, []).append(context)
    return found


def _is_only(project: Project, context: Context) -> bool:
    return context.entry is not None and len(project.in_code.givings(project.reach(context.entry))) == 1
