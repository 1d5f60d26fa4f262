"""Programs that nothing launches, and that import a module of a package of the tree which the tree does not
have: neither the package around the program nor any other of that name. From where they would be started is
open; who starts them needs a package from elsewhere."""

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


def nowhere(project: Project, context: Context) -> Death | None:
    """How such a program dies; None for those that something launches."""
    if context.entry is None or context.origin is not Origin.ENTRY or context.entry.library:
        return None
    memo = project.get(_memo)
    path = context.entry.path
    if path not in memo:
        memo[path] = next(_deaths(project, path), None)
    return memo[path]


def _memo(project: Project) -> dict[str, Death | None]:
    return {}


def _deaths(project: Project, path: str) -> Iterator[Death]:
    for run in statements_of(project, path, dirname(path), program=True):
        node = run.node
        if isinstance(node, ast.ImportFrom) and node.module and not node.level and run.begins:
            if _is_nowhere(project, path, node.module):
                why = f"no package `{node.module.partition('.')[0]}` of the tree has `{node.module}`"
                yield replace(dead_at(Place(path, node.lineno), "ModuleNotFoundError", why), sure=False)


def _is_nowhere(project: Project, path: str, dotted: str) -> bool:
    """Do all packages of that name lack the module, one of them in a folder around the program?"""
    top, _, rest = dotted.partition(".")
    if not rest or top in sys.stdlib_module_names or project.index.modules.is_library(top):
        return False
    packages = [p for p in project.index.modules.packages if basename(p) == top]
    around = any(f"{dirname(path)}/".startswith(f"{dirname(p)}/".lstrip("/")) for p in packages)
    return around and all(missing(project, dirname(p), path, "", dotted, 0) for p in packages)
