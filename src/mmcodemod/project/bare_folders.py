"""Launches that die while they import: `from package.part import Name` where `part` is a folder without
`__init__.py`, so that it has modules alone, and none of that name. Only folders of the package that the
importing file lies in itself. Somebody may have the file that the tree lacks, so it is not sure."""

from __future__ import annotations

from dataclasses import replace

from mmcodemod.facts.outline import Import
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.place import Place
from mmcodemod.project.built_modules import may_be_there
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.model import Project
from mmcodemod.project.search_path import at_path
from mmcodemod.project.stale_imports import Ways, certain, followed
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.source.mentions import folders_of

_MAKERS = ("sys.modules", "meta_path", "__path__")


def from_bare_folder(project: Project, context: Context) -> Death | None:
    """How a launch dies at such an import; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin not in (Origin.LAUNCHED, Origin.ENTRY) or entry.library:
        return None
    return project.once(_first, entry.path) if entry.path in project.index.files else None


def _first(project: Project, entry: str) -> Death | None:
    every, ways = followed(project, entry)
    for path, found in every:
        folder = _folder(project, path, found)
        if folder and _lacks(project, folder, str(found.name)) and _is_sure(project, path, found.line, ways):
            why = f"{folder}/ has no __init__.py, and no module `{found.name}`"
            return replace(dead_at(Place(path, found.line), "ImportError", why), sure=False)
    return None


def _folder(project: Project, path: str, found: Import) -> str:
    """The folder that a file asks for a name, in the package that the file lies in itself; "" for others."""
    dotted = project.index.modules.absolute(found.module, found.level, path).split(".")
    around = path.split("/")[:-1]
    if found.name in (None, "*") or dotted[0] not in around:
        return ""
    home = around[: around.index(dotted[0])]
    return "/".join([*home, *dotted])


def _lacks(project: Project, folder: str, name: str) -> bool:
    """Is it a mere folder, the only one of its name, and nothing of that name in it?"""
    found = at_path(project, folder)
    if found is None or found.file or may_be_there(project, f"{folder}/__init__"):
        return False
    end = "/".join(folder.split("/")[-2:])
    others = [f for f in folders_of(project.tree.paths) if f"/{f}".endswith(f"/{end}")]
    there = any(p.startswith((f"{folder}/{name}/", f"{folder}/{name}.")) for p in project.tree.paths)
    return len(others) == 1 and not there and not may_be_there(project, f"{folder}/{name}")


def _is_sure(project: Project, path: str, line: int, ways: Ways) -> bool:
    texts = (text_of(project, file) for file in ways)
    return certain(project, path, line, ways) and not any(word in t for t in texts for word in _MAKERS)
