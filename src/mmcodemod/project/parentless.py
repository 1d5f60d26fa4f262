"""Relative imports that lead out of the packages which Python knows of a file: it is started as a script, or
imported as a module of no package, or the dots are more than the packages around it. Must-analysis.

Source: the language reference, "Package Relative Imports"; CPython, `importlib._bootstrap._sanity_check`.
"""

from __future__ import annotations

import ast
from posixpath import basename

from mmcodemod.model.place import Place
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.import_order import Run, packages_around
from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of


def without_parent(project: Project, run: Run, starts: bool) -> Death | None:
    """How such an import ends the run; None for others, and where the file names its package itself.
    `starts`: is it the file of the program?"""
    node, around = run.node, packages_around(run.path, run.home)
    if not isinstance(node, ast.ImportFrom) or node.level <= len(around):
        return None
    if "__package__" in text_of(project, run.path):
        return None
    return dead_at(Place(run.path, node.lineno), "ImportError", _why(run.path, around, starts))


def _why(path: str, around: list[str], starts: bool) -> str:
    if around:
        return f"the dots lead out of the topmost package, `{around[0]}`"
    if starts:
        return "a file started as a script has no parent package"
    name = basename(path).removesuffix(".py")
    return f"`{name}` is imported as a module of no package and so has no parent package"
