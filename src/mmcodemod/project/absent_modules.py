"""Imports of a module that its package does not have: the package surely comes from a folder of the tree, and
nothing lies there under that name. Must-analysis: relative imports of files that Python knows as parts of a
package, and packages with `__init__.py` in the folder into which Python looks first."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename, dirname

from mmcodemod.model.place import Place
from mmcodemod.project.built_modules import may_be_there
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.import_order import Run, packages_around
from mmcodemod.project.model import Project
from mmcodemod.project.search_path import at_path
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.source.discover import EXCLUDED

_TELLING = (".md", ".rst", ".sh", ".bash", ".txt", "dockerfile", "makefile")


def absent(project: Project, root: str, run: Run) -> Death | None:
    """How a statement ends the run that imports such a module; not surely where a page speaks of the file."""
    for dotted, level in _asked(run.node):
        stem = missing(project, root, run.path, run.home, dotted, level)
        if stem:
            at = Place(run.path, run.node.lineno)
            death = dead_at(at, "ModuleNotFoundError", f"the tree has no {stem}.py and no such package")
            return replace(death, sure=not _is_told(project, stem), lacks=f"{stem}.py")
    return None


def _asked(node: ast.stmt) -> Iterator[tuple[str, int]]:
    """The modules that an import names, and the dots before them."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, 0) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module, node.level


def missing(project: Project, root: str, path: str, home: str, dotted: str, level: int) -> str:
    """The path, without its ending, at which an import finds nothing; "" where it finds something, or may.
    `root`: the folder in which Python looks first; `home`: that in which it found the file."""
    folder, parts = _start(project, root, path, home, dotted, level)
    while parts and folder is not None:
        stem = f"{folder}/{parts[0]}".lstrip("/")
        found = at_path(project, stem)
        if found is None:
            return "" if _is_open(project, folder, stem) else stem
        folder, parts = found.folder or None, parts[1:]
    return ""


def _start(
    project: Project, root: str, path: str, home: str, dotted: str, level: int
) -> tuple[str | None, list[str]]:
    """The folder of the package that an import starts from, and the modules below it; None where it is open
    which package that is."""
    if level:
        inner = level <= len(packages_around(path, home)) and dotted
        folder = "/".join(dirname(path).split("/")[: 1 - level or None])
        return (folder if inner else None), dotted.split(".")
    top, *rest = dotted.split(".")
    stem = f"{root}/{top}".lstrip("/")
    package = at_path(project, stem) if rest and top not in sys.stdlib_module_names else None
    alone = package is not None and package.file and package.folder
    return (stem if alone and not project.index.modules.is_library(top) else None), rest


def _is_open(project: Project, folder: str, stem: str) -> bool:
    """May the module be there all the same: built, generated, left out of the check, or found elsewhere?"""
    name = basename(stem)
    hidden = name.startswith("_") or name.endswith("_pb2") or name in EXCLUDED
    there = any(p.startswith(f"{stem}.") for p in project.tree.paths)
    return hidden or there or may_be_there(project, stem) or _looks_elsewhere(project, folder)


def _looks_elsewhere(project: Project, folder: str) -> bool:
    """Does a package around say itself where its modules are?"""
    while folder:
        init = f"{folder}/__init__.py"
        if init in project.index.files and "__path__" in text_of(project, init):
            return True
        folder = dirname(folder)
    return False


def _is_told(project: Project, stem: str) -> bool:
    """Does a page or a script speak of the file or the folder, or clone a repository of that name there?"""
    folder, name = basename(dirname(stem)), re.escape(basename(stem))
    cloned = rf"\bclone\b[^\n]{{0,200}}/{name}(?:\.git)?(?![\w.-])"
    said = re.compile(rf"\b{re.escape(folder)}/{name}\b|\b{name}\.py\b|{cloned}")
    pages = (p for p in project.tree.paths if p.lower().endswith(_TELLING))
    return any(said.search(text_of(project, page)) for page in pages)
