"""Launches that die while they import: `from module import name` where a file of the tree, in which Python
finds that module first, binds no such name, and there is no submodule of that name. Must-analysis: only what
stands at the top of files that the program surely loads, in no `try` and under no test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import is_main_guard
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.built_modules import is_packaged, may_be_there
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.model import Project
from mmcodemod.project.module_names import binds_otherwise, bound_at_top, outlined_names
from mmcodemod.project.search_path import Found, absolute, below, first_folder, relative
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.source.discover import EXCLUDED

_EXITS = frozenset(("exit", "_exit", "quit", "skip"))
# What gives modules other names, or other files to modules.
_MOVED = re.compile(r"sys\.modules\s*\[|meta_path|path_hooks|sys\.path\b(?!\.append\b|\s*\.\s*append\b)")


@frozen()
class Asked:
    """`from module import name` at a line of a file."""

    path: str
    line: int
    module: Found
    name: str


def unbound(project: Project, context: Context) -> Death | None:
    """How a launch dies which imports a name that is not there; None when nothing shows that."""
    if context.entry is None or context.origin is not Origin.LAUNCHED or context.entry.library:
        return None
    root = first_folder(context)
    if root is None:
        return None
    memo = project.get(_memo)
    key = root, context.entry.path
    if key not in memo:
        memo[key] = _first(project, *key)
    return memo[key]


def _memo(project: Project) -> dict[tuple[str, str], Death | None]:
    return {}


def _first(project: Project, root: str, entry: str) -> Death | None:
    loaded = _perhaps_loaded(project, root, entry)
    if not loaded or _moved(project, loaded):
        return None
    for asked in _surely(project, root, entry):
        if lacks(project, root, asked) and not _set_from_outside(project, asked, loaded):
            at, file = Place(asked.path, asked.line), asked.module.file
            return dead_at(at, "ImportError", f"{file} binds no `{asked.name}`")
    return None


# -- at first with what is at hand -------------------------------------------------------------------------


def _perhaps_loaded(project: Project, root: str, entry: str) -> list[str]:
    """The files that the entry may load, in any branch; empty when they ask for no name that may be missing.
    No file is read again for that."""
    todo, suspect = dict.fromkeys([entry]), False
    for path in (queue := [entry]):
        facts = project.index.files.get(path)
        for found in (*facts.imports, *facts.stars) if facts else ():
            module = _module(project, root, path, found.module, found.level)
            name = "" if found.name in (None, "*") else str(found.name)
            suspect = suspect or bool(module and name and _seems_missing(project, module, name))
            for file in _run(project, module, name) if module else ():
                if file not in todo:
                    todo[file] = None
                    queue.append(file)
    return list(todo) if suspect else []


def _module(project: Project, root: str, path: str, dotted: str, level: int) -> Found | None:
    return relative(project, dotted, level, path) if level else absolute(project, dotted, root)


def _run(project: Project, module: Found, name: str) -> Iterator[str]:
    """The files that an import runs: packages, the module, and a module that it names."""
    yield from module.before
    if module.file:
        yield module.file
    inner = below(project, name, module.folder) if name and module.folder else None
    if inner is not None and inner.file:
        yield inner.file


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


# -- then by the syntax ------------------------------------------------------------------------------------


def _surely(project: Project, root: str, entry: str) -> Iterator[Asked]:
    """Every name that the program surely asks a file of the tree for, in the order of the files."""
    for path, node in sure_statements(project, root, entry):
        for module, name in _asks(project, root, path, node):
            if module.file and name:
                yield Asked(path, node.lineno, module, name)


def sure_statements(project: Project, root: str, entry: str) -> Iterator[tuple[str, ast.stmt]]:
    """The statements that surely run while the program and what it imports of the tree are loaded."""
    queue, seen = [entry], {entry}
    for path in queue:
        for node in _statements(project, path, path == entry):
            yield path, node
            for module, name in _asks(project, root, path, node):
                for file in _run(project, module, name):
                    if file not in seen:
                        seen.add(file)
                        queue.append(file)


def _statements(project: Project, path: str, program: bool) -> Iterator[ast.stmt]:
    """The statements at the top of a file, and under the main guard of the program, that surely run: until
    one may end it."""
    facts = project.index.files.get(path)
    for node in facts.tree.body if facts else ():
        for one in node.body if program and is_main_guard(node) else [node]:  # type: ignore[attr-defined]
            if isinstance(one, ast.Raise) or _exits(one):
                return
            yield one


def _exits(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and bare_name(call.func) in _EXITS


def _asks(project: Project, root: str, path: str, node: ast.stmt) -> Iterator[tuple[Found, str]]:
    """The modules of the tree that an import asks for, with a name of each, "" for none."""
    if isinstance(node, ast.Import):
        modules = (absolute(project, alias.name, root) for alias in node.names)
        yield from ((module, "") for module in modules if module is not None)
    elif isinstance(node, ast.ImportFrom):
        module = _module(project, root, path, node.module or "", node.level)
        for alias in node.names if module is not None else ():
            yield module, "" if alias.name == "*" else alias.name  # type: ignore[misc]


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
    if binds_otherwise(facts.tree):
        return True
    seen.add(path)
    for star in facts.stars:
        module = _module(project, root, path, star.module, star.level)
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
