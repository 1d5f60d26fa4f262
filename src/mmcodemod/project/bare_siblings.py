"""Launches that die while they import: a file of a package asks for the module beside it by its bare name,
which only Python 2 looked up there. Somebody may have put the folder on the path, so it is not sure."""

from __future__ import annotations

import sys
from dataclasses import replace
from posixpath import dirname

from mmcodemod.facts.outline import Import
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.place import Place
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.left_behind import moves, named_parts
from mmcodemod.project.model import Project
from mmcodemod.project.search_path import at_path
from mmcodemod.project.stale_imports import certain, followed, is_packaged_from
from mmcodemod.project.unplaced_imports import is_told


def bare_sibling(project: Project, context: Context) -> Death | None:
    """How a launch dies at such an import; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin not in (Origin.LAUNCHED, Origin.ENTRY) or entry.library:
        return None
    if "PYTHONPATH" in context.command or project.get(is_told):
        return None
    return project.once(_first, entry.path)


def _first(project: Project, entry: str) -> Death | None:
    every, ways = followed(project, entry)
    for path, found in every:
        if _is_bare(project, entry, path, found) and certain(project, path, found.line, ways):
            if any(moves(project, file) for file in ways):
                return None
            why = f"`{found.module}` lies in {dirname(path)}/, where Python looks for no top-level module"
            return replace(dead_at(Place(path, found.line), "ModuleNotFoundError", why), sure=False)
    return None


def _is_bare(project: Project, entry: str, path: str, found: Import) -> bool:
    """Is the module beside the file, in a folder that is neither the program's nor installed, and nothing
    else of that name anywhere?"""
    here, top = dirname(path), found.module.partition(".")[0]
    if found.level or here == dirname(entry) or is_packaged_from(project, here):
        return False
    if top in sys.stdlib_module_names or project.index.modules.is_library(top):
        return False
    beside = at_path(project, f"{here}/{top}".lstrip("/"))
    return beside is not None and bool(beside.file) and named_parts(project)[top] == 1
