"""Launches that die while they import: `from module import name` where a file of the tree, in which Python
finds that module first, binds no such name, and there is no submodule of that name; or the first of what else
ends an import. Must-analysis (see import_order)."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from posixpath import dirname

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.absent_modules import absent, missing
from mmcodemod.project.built_modules import is_packaged, may_be_there
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.import_order import (
    Run,
    files_run,
    home_of_import,
    named_module,
    packages_around,
    runs_in_order,
    wanted,
)
from mmcodemod.project.model import Project
from mmcodemod.project.module_names import binds_otherwise, bound_at_top, outlined_names
from mmcodemod.project.parentless import without_parent
from mmcodemod.project.plain_imports import imports_of
from mmcodemod.project.search_path import Found, at_path, first_folder
from mmcodemod.project.stale_imports import stale
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.project.unbound_at_top import reads_unbound, unbound_at_top
from mmcodemod.project.unread_files import unread_files
from mmcodemod.source.discover import EXCLUDED
from mmcodemod.source.mentions import folders_of

# What gives modules other names, or other files to modules.
_MOVED = regex(
    r"sys\.modules\s*\[(?!\s*(?:__name__|([\"'])[\w.]+\1)\s*\])"
    r"|meta_path|path_hooks|sys\.path\b(?!\.append\b|\s*\.\s*append\b)"
)
_ITSELF = regex(r"sys\.modules\s*\[\s*__name__\s*\]")  # as packages do that load their modules late
_GIVEN = regex(r"sys\.modules\s*\[\s*[\"']([\w.]+)[\"']")


@frozen()
class Asked:
    """`from module import name` at a line of a file."""

    path: str
    line: int
    module: Found
    name: str


def loading(project: Project, context: Context) -> Death | None:
    """How a launch dies which imports what is not there; None when nothing shows that."""
    if context.entry is None or context.origin is not Origin.LAUNCHED or context.entry.library:
        return None
    root = first_folder(context)
    gone = stale(project, context)
    if root is None:
        return gone
    return project.once(_first, root, context.entry.path, gone)


def loading_alone(project: Project, context: Context) -> Death | None:
    """The same of a program that nothing launches and that is no part of a package: started as a script, it
    has the modules beside it. Who starts it may have what the tree lacks."""
    if context.entry is None or context.origin is not Origin.ENTRY or context.entry.library:
        return None
    path = context.entry.path
    if path not in project.index.files or not project.once(_has_one_place, path):
        return None
    death = project.once(_first, dirname(path), path, None)
    return replace(death, sure=False) if death else None


def _has_one_place(project: Project, entry: str) -> bool:
    """Can it be no part of a package, and do its imports mean nothing else from a folder above?"""
    root, found = dirname(entry), list(imports_of(project, entry))
    if any(one.level for one in found) or at_path(project, f"{root}/__init__"):
        return False
    tops = {one.module.partition(".")[0] for one in found}
    own = {top for top in tops if at_path(project, f"{root}/{top}".lstrip("/"))}
    above = folders_of([root]) if root else frozenset()
    return not any(at_path(project, f"{folder}/{top}".lstrip("/")) for folder in above for top in own)


def _first(project: Project, root: str, entry: str, gone: Death | None) -> Death | None:
    """What ends the run first; `gone`: the import of a module that the tree does not have."""
    loaded = _perhaps_loaded(project, root, entry)
    if not loaded:
        return gone
    given = _given(project, loaded)
    runs = (run for run in runs_in_order(project, root, entry) if not _parts(run.node) & given)
    if _moved(project, loaded):
        own = (without_parent(project, run, True) for run in runs if run.begins and run.path == entry)
        return next((death for death in own if death), gone)
    ends = (_end(project, root, run, loaded, gone) for run in runs)
    return next((death for death in ends if death), gone)


def _end(project: Project, root: str, run: Run, loaded: list[str], gone: Death | None) -> Death | None:
    """How a statement ends the run: the dots count before the names."""
    if not run.begins:
        return _unbound(project, root, run, loaded)
    if unread := _unread(project, root, run):
        return unread
    if gone and gone.at == Place(run.path, run.node.lineno):
        return gone
    ends = without_parent(project, run, run.path == loaded[0]) or absent(project, root, run)
    return ends or unbound_at_top(project, run)


def _unread(project: Project, root: str, run: Run) -> Death | None:
    """The end at a file which the statement loads and no Python reads."""
    unread = project.get(unread_files)
    asked = wanted(project, root, run) if unread else ()
    files = (file for one in asked for file in files_run(project, one.module, one.name))
    return next((unread[file] for file in files if file in unread), None)


def _unbound(project: Project, root: str, run: Run, loaded: list[str]) -> Death | None:
    """The end at a name that a file of the tree is asked for and does not bind."""
    for one in wanted(project, root, run):
        asked = Asked(run.path, run.node.lineno, one.module, one.name)
        if one.module.file and one.name and lacks(project, root, asked):
            if not _set_from_outside(project, asked, loaded):
                at = Place(asked.path, asked.line)
                return dead_at(at, "ImportError", f"{one.module.file} binds no `{one.name}`")
    return None


# -- at first with what is at hand -------------------------------------------------------------------------


def _perhaps_loaded(project: Project, root: str, entry: str) -> list[str]:
    """The files that the entry may load, in any branch; empty when they ask for nothing that may be missing.
    Few files are read again for that."""
    homes, suspect = {entry: root}, False
    for path in (queue := [entry]):
        suspect = suspect or path in project.get(unread_files) or bool(reads_unbound(project, path))
        for found in imports_of(project, path):
            suspect = suspect or found.level > len(packages_around(path, homes[path]))
            module = named_module(project, root, path, found.module, found.level)
            name = "" if found.name in (None, "*") else str(found.name)
            suspect = suspect or bool(module and name and _seems_missing(project, module, name))
            if module is None and not suspect:
                suspect = bool(missing(project, root, path, homes[path], found.module, found.level))
            for file in files_run(project, module, name) if module else ():
                if file not in homes:
                    homes[file] = home_of_import(found.module, found.level, module, homes[path])  # type: ignore[arg-type]
                    queue.append(file)
    return list(homes) if suspect else []


def _seems_missing(project: Project, module: Found, name: str) -> bool:
    facts = project.index.files.get(module.file)
    return facts is not None and name not in outlined_names(facts) and not _beside(project, module, name)


def _beside(project: Project, module: Found, name: str) -> bool:
    """May a package have a module of that name: one that lies there, or is built, generated or left out of
    the check?"""
    if not module.folder:
        return False
    stem = f"{module.folder}/{name}"
    hidden = name.startswith("_") or name.endswith("_pb2") or name in EXCLUDED
    there = any(p.startswith((f"{stem}/", f"{stem}.")) for p in project.tree.paths)
    return hidden or there or may_be_there(project, stem)


def _moved(project: Project, loaded: list[str]) -> bool:
    """Does a file change where modules are looked for, before or in place of what lies there?"""
    return any(_MOVED.search(text_of(project, path)) for path in loaded)


def _given(project: Project, loaded: list[str]) -> set[str]:
    """The last parts of the modules that some file makes itself: `sys.modules["a.b"] = ...`."""
    return {name.rpartition(".")[2] for path in loaded for name in _GIVEN.findall(text_of(project, path))}


def _parts(node: ast.stmt) -> set[str]:
    """The parts of the dotted names that an import speaks of."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return set()
    module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    return {part for name in (module, *(a.name for a in node.names)) for part in name.split(".")}


# -- then by the syntax ------------------------------------------------------------------------------------


def lacks(project: Project, root: str, asked: Asked) -> bool:
    """Must: does the module have no such name, and no such submodule?"""
    if _beside(project, asked.module, asked.name) or is_packaged(project, asked.name):
        return False
    return not _may_bind(project, root, asked.module.file, asked.name, set())


def _may_bind(project: Project, root: str, path: str, name: str, seen: set[str]) -> bool:
    """May a file bind a name, itself or by `import *`? Yes, where it cannot be read."""
    facts = project.index.files.get(path)
    if facts is None or name in outlined_names(facts) or name in bound_at_top(facts.tree):
        return True
    if binds_otherwise(facts.tree) or _ITSELF.search(text_of(project, path)):
        return True
    seen.add(path)
    for star in facts.stars:
        module = named_module(project, root, path, star.module, star.level)
        if module is None or not module.file or _beside(project, module, name):  # `__all__` may name modules
            return True
        if module.file not in seen and _may_bind(project, root, module.file, name, seen):
            return True
    return False


def _set_from_outside(project: Project, asked: Asked, loaded: list[str]) -> bool:
    """May another file give the module that name: `module.name = ...`, `setattr(module, "name", ...)`?"""
    name = re.escape(asked.name)
    sets = re.compile(rf"\.{name}\s*(?:[:,]|=(?!=))|setattr\([^)]*['\"]{name}['\"]")
    return any(sets.search(text_of(project, path)) for path in loaded)
