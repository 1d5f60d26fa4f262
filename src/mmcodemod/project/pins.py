"""The requirement of each framework that holds for an entry: the nearest one."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from mmcodemod.model.context import Dependency

FRAMEWORKS = ("deepspeed", "torch", "transformers", "accelerate", "peft", "trl")


def nearest_dependencies(found: Mapping[str, Sequence[Dependency]], entry_path: str) -> dict[str, Dependency]:
    """For each framework the requirement whose folder is the closest one above the entry."""
    result = {}
    for name in FRAMEWORKS:
        ranked = [(r, d) for d in found.get(name, ()) if (r := _distance(d, entry_path)) is not None]
        if ranked:
            result[name] = min(ranked, key=lambda pair: (pair[0], not pair[1].spec))[1]
    return result


def _distance(dependency: Dependency, entry_path: str) -> int | None:
    """Folders between the requirement and the entry; None when it belongs to another part of the tree."""
    folder = _project_folder(dependency.at.path if dependency.at else "")
    if folder and not entry_path.startswith(folder + "/"):
        return None
    return entry_path.count("/") - (folder.count("/") + 1 if folder else 0)


def _project_folder(path: str) -> str:
    """The folder that a file speaks for: `requirements/` and dist-info stand for their parent."""
    folder = posixpath.dirname(path)
    base = posixpath.basename(folder)
    return (
        posixpath.dirname(folder)
        if base == "requirements" or base.endswith((".dist-info", ".egg-info"))
        else folder
    )
