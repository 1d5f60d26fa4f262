"""Calls of a module that tests choose: several imports of a file bind one name, each on its own side of a
test, and the call goes into the one that the run imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.outline import MAIN, MODULE
from mmcodemod.facts.syntax import walk
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.model import Project


def imports_of(project: Project, edge: Edge) -> list[tuple[str, ast.stmt]]:
    """The imports, with the functions that hold them, by which alone a call `name.function(...)` gets into
    the module of that function; [] where nothing chooses, or something else binds the name, too."""
    func = edge.call.func if isinstance(edge.call, ast.Call) else None
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return []
    path, target = edge.caller.function.partition("::")[0], edge.callee.function.partition("::")[0]
    if path not in project.index.files or path == target:
        return []
    found = project.once(_bound, path, func.value.id)
    leads = [(function, node) for function, node, to in found if to == target]
    return leads if len({to for _, _, to in found}) > 1 else []


def _bound(project: Project, path: str, name: str) -> list[tuple[str, ast.stmt, str | None]]:
    """The imports of the module's own code that bind a name, each with the file that it means; [] where it is
    bound otherwise, too."""
    file = project.index.files[path]
    scopes = [file.functions[scope] for scope in (MODULE, MAIN) if scope in file.functions]
    found = [
        (facts.id, node, _file(project, dotted, path))
        for facts in scopes
        for node in own_nodes(facts.node)
        for bound, dotted in _names(project, node, path)
        if bound == name and isinstance(node, ast.stmt)
    ]
    return found if len(found) > 1 and not _otherwise(file.tree, name, len(found)) else []


def _names(project: Project, node: ast.AST, path: str) -> Iterator[tuple[str, str]]:
    """What an import binds to modules: the name, and the module."""
    if isinstance(node, ast.Import):
        yield from ((alias.asname, alias.name) for alias in node.names if alias.asname)
    elif isinstance(node, ast.ImportFrom):
        below = project.index.modules.absolute(node.module or "", node.level, path)
        yield from ((alias.asname or alias.name, f"{below}.{alias.name}".strip(".")) for alias in node.names)


def _file(project: Project, dotted: str, path: str) -> str | None:
    return project.index.modules.find(dotted, path)


def _otherwise(tree: ast.Module, name: str, known: int) -> bool:
    """Is the name bound by anything but the known imports?"""
    nodes = list(walk(tree))
    bound = (a for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names)
    imports = sum((a.asname or a.name.partition(".")[0]) == name for a in bound)
    return imports != known or any(_binds(node, name) for node in nodes)


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.arg):
        return node.arg == name
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name
