"""Launches that die while they import: a module of the tree's own package that the tree no longer has.
Must-analysis: only imports at the top of files that the entry loads by such imports, of a package that lies
once in the tree, where Python looks for it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename, dirname

from mmcodemod.facts.outline import Import
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.place import Place
from mmcodemod.project.built_modules import may_be_there
from mmcodemod.project.death import Death
from mmcodemod.project.model import Project
from mmcodemod.project.plain_imports import imports_of
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.source.discover import EXCLUDED

_PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg")


def stale(project: Project, context: Context) -> Death | None:
    """How a launch dies while it imports; None when nothing shows that."""
    if context.entry is None or context.origin is not Origin.LAUNCHED or context.entry.library:
        return None
    return project.once(_first, context.entry.path)


def gone(project: Project, entry: str) -> Death | None:
    """The same for a program that nothing launches: who starts it may have what the tree lacks."""
    death = project.once(_first, entry)
    return None if death is None else replace(death, sure=False)


def _first(project: Project, entry: str) -> Death | None:
    """The first import, breadth first, that finds nothing."""
    every, ways = followed(project, entry)
    for path, found in every:
        dotted = project.index.modules.absolute(found.module, found.level, path)
        if _missing(project, dotted, path, entry) and certain(project, path, found.line, ways):
            if _other_release(project, dotted, entry):
                return None
            at = Place(path, found.line)
            fact = f"whether `{dotted}`, which {at} imports, is anywhere: the tree has none"
            lacks = _path_of(project, dotted, entry)
            return Death(at, "ModuleNotFoundError", f"the tree has no `{dotted}`", fact, lacks=lacks)
    return None


Ways = dict[str, tuple[str, int]]
"""By file: the file and the line of the import that loads it; of the program "" and 0."""


def followed(project: Project, entry: str) -> tuple[list[tuple[str, Import]], Ways]:
    """The imports of the program and of the files of the tree that they load, breadth first, and what loads
    each file."""
    return project.once(_followed, entry)


def _followed(project: Project, entry: str) -> tuple[list[tuple[str, Import]], Ways]:
    ways: Ways = {entry: ("", 0)}
    todo, every = [entry], list[tuple[str, Import]]()
    for path in todo:
        for found in imports_of(project, path):
            every.append((path, found))
            dotted = project.index.modules.absolute(found.module, found.level, path)
            for loaded in _loaded(project, dotted, found, path, entry):
                if loaded not in ways:
                    ways[loaded] = path, found.line
                    todo.append(loaded)
    return every, ways


def _loaded(project: Project, dotted: str, found: Import, path: str, entry: str) -> Iterator[str]:
    """The files of the tree that an import surely runs: packages, the module, and a module that it names."""
    parts = dotted.split(".")
    names = [".".join(parts[: n + 1]) for n in range(len(parts))]
    for name in (*names, *([f"{dotted}.{found.name}"] if found.name else [])):
        file = project.index.modules.find(name, path)
        if file is not None and not is_stub(file) and _is_looked_into(project, file, name, entry):
            yield file


def _is_looked_into(project: Project, file: str, dotted: str, entry: str) -> bool:
    """Does the file lie where Python looks for a module: below a folder around the program, or where the
    project is packaged?"""
    stem = f"/{file.removesuffix('.py').removesuffix('/__init__')}"
    home = stem.removesuffix(f"/{dotted.replace('.', '/')}")
    return home != stem and (_is_above(home[1:], dirname(entry)) or home[1:] in project.get(_around))


def _is_above(folder: str, other: str) -> bool:
    return not folder or f"{other}/".startswith(f"{folder}/")


def _missing(project: Project, dotted: str, path: str, entry: str) -> bool:
    """Is it a module of a package of the tree that is in no file? What is built, generated or left out of
    the check may be there."""
    top, *rest = dotted.split(".")
    hidden = any(part.startswith("_") or part.endswith("_pb2") or part in EXCLUDED for part in rest)
    if not rest or hidden or any(project.index.modules.find(dotted, p) for p in (path, entry)):
        return False  # Python looks beside the program first
    home = home_of(project, top, dirname(entry))
    while home and rest and f"{home}/{rest[0]}" in project.index.modules.packages:
        home = f"{home}/{rest.pop(0)}"
    if not home or not rest:
        return False
    stem = f"{home}/{rest[0]}"
    there = any(p.startswith((f"{stem}/", f"{stem}.")) for p in project.tree.paths)
    return not there and not _names_itself(project, home) and not may_be_there(project, stem)


def _path_of(project: Project, dotted: str, entry: str) -> str:
    """Where the tree would have the module."""
    top, *rest = dotted.split(".")
    return "/".join((home_of(project, top, dirname(entry)), *rest)) + ".py"


def _names_itself(project: Project, package: str) -> bool:
    """May a package give its modules their names itself?"""
    return "sys.modules" in text_of(project, f"{package}/__init__.py")


def home_of(project: Project, top: str, beside: str) -> str:
    """The folder of the only package of that name, where it lies in the folder `beside` or where the project
    is packaged and is no library's; else ""."""
    found = project.get(_tops).get(top, [])
    if len(found) != 1 or top in sys.stdlib_module_names:
        return ""
    own = dirname(found[0]) in project.get(_around) and not project.index.modules.is_library(top)
    return found[0] if own or dirname(found[0]) == beside else ""


def _tops(project: Project) -> dict[str, list[str]]:
    """The packages that lie in no other package, by their names."""
    found: dict[str, list[str]] = {}
    packages = project.index.modules.packages
    for package in (p for p in packages if dirname(p) not in packages):
        found.setdefault(basename(package), []).append(package)
    return found


def is_packaged_from(project: Project, folder: str) -> bool:
    """May the project be installed from that folder?"""
    return folder in project.get(_around)


def _around(project: Project) -> set[str]:
    """The folders that hold what the project is packaged from."""
    homes = {dirname(p) for p in project.tree.paths if basename(p) in _PACKAGING}
    return {*homes, *(f"{h}/src".lstrip("/") for h in homes)}


def _other_release(project: Project, dotted: str, entry: str) -> bool:
    """Does a requirements file beside the program speak of the package: of another release of it, perhaps?"""
    name = re.compile(re.escape(dotted.partition(".")[0]).replace("_", "[-_.]"), re.IGNORECASE)
    beside = (p for p in project.tree.paths if dirname(p) == dirname(entry))
    asking = (p for p in beside if "require" in basename(p) or basename(p).startswith("env"))
    return any(name.search(project.tree.read_bytes(p).decode(errors="replace")) for p in asking)


def certain(project: Project, path: str, line: int, ways: Ways) -> bool:
    """Do the import and those that lead to its file stand at the top, in no `try` and under no test?"""
    while path:
        body = project.index.files[path].tree.body
        if not any(isinstance(s, (ast.Import, ast.ImportFrom)) and s.lineno == line for s in body):
            return False
        path, line = ways[path]
    return True
