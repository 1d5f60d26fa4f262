"""What names mean in a file: who binds them, and which imports give them which meaning."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import walk

Meaning = str
"""The full name of what an import binds: "torch.nn" for `from torch import nn`."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def imported(node: ast.AST) -> Iterator[tuple[str, Meaning]]:
    """The names that an import binds, with their meaning; relative imports have none that we know."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            known = f"{'.' * node.level}{node.module or ''}.{alias.name}"
            yield alias.asname or alias.name, known


def means_other(tree: ast.AST, name: str, meaning: Meaning) -> bool:
    """Does the file bind the name anywhere, in any scope, to something else than `meaning`?"""
    for node in walk(tree):
        if name in _binds(node) or any(n == name and m != meaning for n, m in imported(node)):
            return True
    return False


def bound(tree: ast.AST) -> set[str]:
    """All names that a file binds anywhere."""
    names: set[str] = set()
    for node in walk(tree):
        names.update(_binds(node), (name for name, _ in imported(node)))
    return names


def loads(tree: ast.AST) -> set[str]:
    """All names that are read."""
    return {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def scope_binds(function: ast.AST, name: str) -> bool:
    """Is the name a local one of this function? Then names around it are hidden in all of it."""
    todo = list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if name in _binds(node) or any(n == name for n, _ in imported(node)):
            return True
        if not isinstance(node, _SCOPES):
            todo += ast.iter_child_nodes(node)
    return False


def _binds(node: ast.AST) -> tuple[str, ...]:
    """The names that a node itself binds, imports left out."""
    if isinstance(node, ast.Name):
        return () if isinstance(node.ctx, ast.Load) else (node.id,)
    if isinstance(node, ast.arg):
        return (node.arg,)
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return tuple(node.names)
    if isinstance(node, ast.MatchMapping):
        return (node.rest,) if node.rest else ()
    named = (
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.ClassDef,
        ast.ExceptHandler,
        ast.MatchAs,
        ast.MatchStar,
    )
    if isinstance(node, named) or type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):
        name = getattr(node, "name", None)
        return (name,) if name else ()
    return ()
