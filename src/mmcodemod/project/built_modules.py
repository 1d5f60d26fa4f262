"""Modules that no Python file of the tree holds and that may be there all the same: links, submodules, what
is left out of the check, and what somebody compiles. May-analysis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname

from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.source.discover import is_compiled
from mmcodemod.source.tree import may_hold

_PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg", "makefile", "meson.build")


def may_be_there(project: Project, stem: str) -> bool:
    """May there be a module of that path without its ending?"""
    name = basename(stem)
    compiled = may_hold(project.tree, stem) or name in project.get(_compiled)
    return compiled or any(_speaks(project, path, name) for path in _builders(project, stem))


def _compiled(project: Project) -> frozenset[str]:
    """The names of compiled modules and their sources, wherever they lie: a build may put them elsewhere."""
    return frozenset(basename(p).partition(".")[0] for p in project.tree.unread if is_compiled(p))


def _builders(project: Project, stem: str) -> Iterator[str]:
    """The files that may build a module at a path: those of the folders around it, and what compiles."""
    for path in project.get(_packaging):
        folder = dirname(path)
        around = not folder or stem.startswith(f"{folder}/")
        if around or "Extension" in (text := text_of(project, path)) or "ext_modules" in text:
            yield path


def is_packaged(project: Project, name: str) -> bool:
    """Does a file that builds the project speak of it?"""
    return any(_speaks(project, path, name) for path in project.get(_packaging))


def _packaging(project: Project) -> list[str]:
    return [p for p in project.tree.paths if basename(p).lower() in _PACKAGING]


def _speaks(project: Project, path: str, name: str) -> bool:
    """Does it say the name? In TOML a name begins a text, or follows a dot or a slash; the rest is prose."""
    before = r"""(?<=[./"'])""" if path.endswith(".toml") else r"\b"
    return bool(re.search(rf"{before}{re.escape(name)}\b", text_of(project, path)))
