"""Launches that die while they import a package which the tree does not have, under a name that repositories
give to code of their own (`src`, `utils`): it was renamed, moved, or never added. Somebody may have it, so it
is not sure; a name that git is told to ignore, or that a page or a script puts on the path, is left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from posixpath import basename

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.place import Place
from mmcodemod.project.built_modules import may_be_there
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.git_ignored import ignored_by
from mmcodemod.project.model import Project
from mmcodemod.project.stale_imports import certain, followed
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.source.mentions import folders_of

_OWN = frozenset(
    (
        *("src", "utils", "util", "lib", "libs", "common", "core", "tools", "scripts", "helpers", "misc"),
        *("models", "model", "modules", "layers", "losses", "loss", "dataset", "data", "dataloader"),
        *("train", "trainer", "trainers", "training", "engine", "options", "configs", "config", "args"),
        *("network", "networks", "backbone", "backbones", "metrics", "dataloaders"),
    )
)
_MOVES = ("PYTHONPATH", "sys.path", "sys.modules", "site.addsitedir")


def left_behind(project: Project, context: Context) -> Death | None:
    """How a launch dies at such an import; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin not in (Origin.LAUNCHED, Origin.ENTRY) or entry.library:
        return None
    if "PYTHONPATH" in context.command or entry.path not in project.index.files:
        return None
    return project.once(_first, entry.path)


def _first(project: Project, entry: str) -> Death | None:
    every, ways = followed(project, entry)
    for path, found in every:
        top = found.module.partition(".")[0]
        if found.level or top not in _OWN or not _is_nowhere(project, top):
            continue
        if certain(project, path, found.line, ways) and not any(moves(project, file) for file in ways):
            why = f"the tree has no package `{top}`"
            return replace(dead_at(Place(path, found.line), "ModuleNotFoundError", why), sure=False)
    return None


def _is_nowhere(project: Project, top: str) -> bool:
    """Does no folder and no file of the tree have the name, and is nothing said of one that git ignores?"""
    if named_parts(project)[top] or may_be_there(project, top):
        return False
    return not any(ignored_by(project, path) for path in (f"{top}.py", f"{top}/__init__.py"))


def named_parts(project: Project) -> Counter[str]:
    """How many folders and files of the tree have a name, endings aside."""
    return project.get(_named_parts)


def _named_parts(project: Project) -> Counter[str]:
    parts = (basename(path).partition(".")[0] for path in project.tree.paths)
    return Counter((*parts, *(basename(folder) for folder in folders_of(project.tree.paths))))


def moves(project: Project, path: str) -> bool:
    """May a file change where Python looks for modules, or what they are?"""
    return any(word in text_of(project, path) for word in _MOVES)
