"""Programs beside the package that the project installs which ask it for a name that the tree's release does
not bind. Which release is installed is open: with that of the tree the run ends at the import, and what ends
it later is not the first."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.model.context import Context
from mmcodemod.project.import_order import runs_in_order
from mmcodemod.project.model import Project
from mmcodemod.project.search_path import first_folder, installed
from mmcodemod.project.unbound_imports import Asked, lacks


def drifted(project: Project, context: Context) -> bool:
    """Does the program of a launch surely ask for such a name?"""
    root = first_folder(context)
    if context.entry is None or root is None:
        return False
    return project.once(_lacks_any, root, context.entry.path)


def _lacks_any(project: Project, root: str, entry: str) -> bool:
    return any(lacks(project, root, asked) for asked in _asked(project, root, entry))


def _asked(project: Project, root: str, entry: str) -> Iterator[Asked]:
    """What is imported of the package by name."""
    for run in runs_in_order(project, root, entry):
        node = run.node
        named = run.begins and isinstance(node, ast.ImportFrom) and not node.level
        module = installed(project, node.module or "", root) if named else None  # type: ignore[attr-defined]
        if module is not None and module.file:
            yield from (Asked(run.path, node.lineno, module, n.name) for n in node.names if n.name != "*")  # type: ignore[attr-defined]
