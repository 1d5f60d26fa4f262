"""Programs that nothing launches, and that import a module or a name of a package of the tree which the tree
does not have: neither the package around the program nor any other of that name. From where they would be
started is open; who starts them needs a package from elsewhere."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename, dirname

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.place import Place
from mmcodemod.project.absent_modules import missing
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.import_order import statements_of
from mmcodemod.project.model import Project
from mmcodemod.project.search_path import below
from mmcodemod.project.stale_imports import gone
from mmcodemod.project.unbound_imports import Asked, lacks


def nowhere(project: Project, context: Context) -> Death | None:
    """How such a program dies; None for those that something launches."""
    if context.entry is None or context.origin is not Origin.ENTRY or context.entry.library:
        return None
    return project.once(_first, context.entry.path) or gone(project, context.entry.path)


def _first(project: Project, path: str) -> Death | None:
    return next(_deaths(project, path), None)


def _deaths(project: Project, path: str) -> Iterator[Death]:
    for run in statements_of(project, path, dirname(path), program=True):
        for dotted, name in _asked(run.node) if run.begins else ():
            if _is_nowhere(project, path, dotted, name):
                whole = ".".join(filter(None, (dotted, name)))
                error = "ImportError" if name else "ModuleNotFoundError"
                why = f"no package `{dotted.partition('.')[0]}` of the tree has `{whole}`"
                yield replace(dead_at(Place(path, run.node.lineno), error, why), sure=False)


def _asked(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """The modules that an import names, and the names that it asks of a package, "" for none."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, "") for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module, ""
        yield from ((node.module, alias.name) for alias in node.names if alias.name != "*")


def _is_nowhere(project: Project, path: str, dotted: str, name: str) -> bool:
    """Do all packages of that name, one of them in a folder around the program, lack the module, or name?"""
    top, _, rest = dotted.partition(".")
    if not (rest or name) or top in sys.stdlib_module_names or project.index.modules.is_library(top):
        return False
    packages = [p for p in project.index.modules.packages if basename(p) == top]
    around = any(f"{dirname(path)}/".startswith(f"{dirname(p)}/".lstrip("/")) for p in packages)
    return around and all(_lacks(project, path, dirname(p), dotted, name) for p in packages)


def _lacks(project: Project, path: str, home: str, dotted: str, name: str) -> bool:
    """Does the package in that folder lack the module, or the module of a package the name?"""
    if not name:
        return bool(missing(project, home, path, "", dotted, 0))
    module = below(project, dotted, home)
    asked = Asked(path, 0, module, name) if module is not None and module.file and module.folder else None
    return asked is not None and lacks(project, home, asked)
