"""How many GPUs does a run see? One where its launch names one in CUDA_VISIBLE_DEVICES; of an entry that
nothing is known to launch, where all commands of the tree do that start its file. Then
`torch.cuda.device_count()` is 1."""

from __future__ import annotations

import ast
from typing import TypeGuard

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.place import Place
from mmcodemod.project.contexts import started
from mmcodemod.project.flags import place_of
from mmcodemod.project.launch_files import Found
from mmcodemod.project.model import Project

DEVICE_COUNT = "torch.cuda.device_count"
VISIBLE = "env.CUDA_VISIBLE_DEVICES"
_NAME = VISIBLE.removeprefix("env.")
_KEEP = ("python", "console", "torch")  # they hand the variable on as it is


def counts_devices(node: ast.AST) -> TypeGuard[ast.Call]:
    """Is it a call of what is named like the function that counts GPUs?"""
    return isinstance(node, ast.Call) and unparse(node.func).rpartition(".")[2] == "device_count"


def names_one(devices: object) -> bool:
    """Does a list of visible devices name one?"""
    return isinstance(devices, int) or (isinstance(devices, str) and devices.isdigit())


def one_visible(project: Project, context: Context) -> Place | None:
    """Must: where it is said that the run sees one GPU; None where that does not show, and where code of the
    run speaks of the variable itself."""
    entry = context.entry
    if entry is None:
        return None
    at = _by_launch(context) or _by_commands(project, context, entry)
    return None if at is None or is_spoken_of(project, entry) else at


def _by_launch(context: Context) -> Place | None:
    if context.origin is not Origin.LAUNCHED or context.launched_by not in _KEEP:
        return None
    visible = context.option(VISIBLE)
    return visible.at if names_one(visible.value) and visible.value != -1 else None  # -1: no GPU


def _by_commands(project: Project, context: Context, entry: Entry) -> Place | None:
    """The first of the commands that start the entry, where each gives it one GPU."""
    if context.origin not in (Origin.ENTRY, Origin.ASIDE):
        return None
    places = project.get(_given).get(entry.path, [])
    return min((p for p in places if p), default=None) if None not in places else None


def _given(project: Project) -> dict[str, list[Place | None]]:
    """For each file that commands of the tree start, where each command gives it one GPU. Use through
    `project.get`."""
    every: dict[str, list[Place | None]] = {}
    for path, found in started(project.sources, project.pins):
        every.setdefault(path, []).append(_one_at(found))
    return every


def _one_at(found: Found) -> Place | None:
    word = found.command.env.get(_NAME)
    return place_of(found.path, word) if word and not word.unknown and names_one(word.text) else None


def is_spoken_of(project: Project, entry: Entry) -> bool:
    """Does code of the run speak of the variable itself?"""
    reach = project.reach(entry)
    return any(
        facts.id in reach and _NAME.encode() in project.source(facts) for facts in project.mentioning(_NAME)
    )
