"""Launches that die while they import a module of the tree which lies where Python does not look: the program
in `src/train/` imports `train.data`, and nothing puts `src` on the path. Somebody may have set PYTHONPATH
elsewhere, so it is not sure; modules below the root of the tree are left out, because many set it to that."""

from __future__ import annotations

import sys
from dataclasses import replace
from posixpath import basename, dirname

from mmcodemod.facts.outline import Import
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.model import Project
from mmcodemod.project.plain_imports import imports_of
from mmcodemod.project.search_path import at_path, below, first_folder
from mmcodemod.project.stale_imports import certain, is_packaged_from
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.source.mentions import folders_of

_SETS = regex(r"PYTHONPATH|sys\.path|addsitedir")
_TELLING = (".md", ".rst", ".txt", ".env", ".yml", ".yaml", ".toml", ".def", "dockerfile")


def unplaced(project: Project, context: Context) -> Death | None:
    """How a launch dies that imports what lies elsewhere; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin is not Origin.LAUNCHED or entry.library:
        return None
    root = first_folder(context)
    if root != dirname(entry.path) or "PYTHONPATH" in context.command or project.get(is_told):
        return None
    return project.once(_first, entry.path)


def is_told(project: Project) -> bool:
    """Does a page, an image or a configuration speak of the variable?"""
    pages = (p for p in project.tree.paths if p.lower().endswith(_TELLING))
    return any("PYTHONPATH" in text_of(project, page) for page in pages)


def _first(project: Project, entry: str) -> Death | None:
    if entry not in project.index.files or _SETS.search(text_of(project, entry)):
        return None
    for found in imports_of(project, entry):
        home = "" if found.level else _home(project, entry, found)
        if home and certain(project, entry, found.line, {entry: ("", 0)}):
            why = f"`{found.module}` lies below {home}/, and nothing puts that on the path"
            return replace(dead_at(Place(entry, found.line), "ModuleNotFoundError", why), sure=False)
        if not found.level and _may_move(project, entry, found):
            return None
    return None


def _home(project: Project, entry: str, found: Import) -> str:
    """The one folder, around the program, in which the module lies; "" where Python may find it, or where it
    is a library's."""
    top = found.module.partition(".")[0]
    if top == found.module or top in sys.stdlib_module_names or project.index.modules.is_library(top):
        return ""
    if at_path(project, f"{dirname(entry)}/{top}".lstrip("/")) is not None:
        return ""
    homes = {dirname(f) for f in folders_of(project.tree.paths) if basename(f) == top}
    (home,) = homes if len(homes) == 1 else ("",)
    around = home and entry.startswith(f"{home}/") and not is_packaged_from(project, home)
    return home if around and below(project, found.module, home) is not None else ""


def _may_move(project: Project, entry: str, found: Import) -> bool:
    """May a module beside the program, which it loads before, change the path?"""
    module = below(project, found.module, dirname(entry))
    return module is not None and bool(module.file) and bool(_SETS.search(text_of(project, module.file)))
