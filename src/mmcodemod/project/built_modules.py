"""Modules that no Python file of the tree holds and that may be there all the same: links, submodules, what
is left out of the check, and what somebody compiles. May-analysis."""

from __future__ import annotations

import re
from posixpath import basename

from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.source.discover import is_compiled
from mmcodemod.source.tree import may_hold

_PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg", "makefile", "meson.build")


def may_be_there(project: Project, stem: str) -> bool:
    """May there be a module of that path without its ending?"""
    name = basename(stem)
    return may_hold(project.tree, stem) or name in project.get(_compiled) or is_packaged(project, name)


def _compiled(project: Project) -> frozenset[str]:
    """The names of compiled modules and their sources, wherever they lie: a build may put them elsewhere."""
    return frozenset(basename(p).partition(".")[0] for p in project.tree.unread if is_compiled(p))


def is_packaged(project: Project, name: str) -> bool:
    """Does a file that builds the project speak of it?"""
    built = (p for p in project.tree.paths if basename(p).lower() in _PACKAGING)
    return any(re.search(rf"\b{re.escape(name)}\b", text_of(project, path)) for path in built)
