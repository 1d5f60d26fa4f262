"""The names that a file binds at its top, in any branch. May-analysis: a name that it may bind counts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.outline import MODULE
from mmcodemod.facts.python import FileFacts
from mmcodemod.facts.syntax import walk

# fmt: off
GIVEN = frozenset((
    "__annotations__", "__builtins__", "__cached__", "__dict__", "__doc__", "__file__", "__loader__",
    "__name__", "__package__", "__path__", "__spec__",
))
# fmt: on
_BINDING = frozenset(("__import__", "__pyarmor__", "exec", "eval", "globals", "locals", "vars"))
_TABLES = frozenset(("__dict__", "modules"))  # of a module, of `sys`
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def outlined_names(facts: FileFacts) -> set[str]:
    """Nearly all of them, without reading the file again."""
    defined = (name for name in (*facts.functions, *facts.classes) if "." not in name)
    imported = (found.bound for found in facts.imports)
    return {*GIVEN, *defined, *imported, *facts.functions[MODULE].own.bindings, *facts.loose, *facts.writers}


def bound_at_top(tree: ast.Module) -> set[str]:
    """All of them, as the syntax says; with what its functions say is `global`."""
    said = {name for node in walk(tree) if isinstance(node, ast.Global) for name in node.names}
    return said | bound_in(tree)


def bound_in(scope: ast.Module | ast.ClassDef) -> set[str]:
    """What the code of a module or a class itself binds in it."""
    found = set(GIVEN)
    for node in _top(scope):
        if isinstance(node, _SCOPES):
            found.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar, ast.ExceptHandler)):
            found.add(node.name or "")
        elif isinstance(node, ast.MatchMapping):
            found.add(node.rest or "")
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
    return found


def _top(scope: ast.Module | ast.ClassDef) -> Iterator[ast.AST]:
    """The nodes that the scope's own code is made of, with the definitions in it."""
    todo: list[ast.AST] = [*scope.body]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (*_SCOPES, ast.Lambda)):
            todo += ast.iter_child_nodes(node)


def binds_otherwise(tree: ast.Module) -> bool:
    """May it bind names that the syntax does not show: by `globals()`, `exec`, a `__getattr__`, or as another
    object in its place?"""
    return any(_binds(node) for node in walk(tree))


def _binds(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id == "__getattr__"
    if isinstance(node, ast.Attribute):
        return node.attr in _TABLES
    if isinstance(node, (*_SCOPES, ast.alias)):
        return node.name in ("__getattr__", "modules")
    return isinstance(node, ast.Call) and (getattr(node.func, "id", "") in _BINDING or _sets_elsewhere(node))


def _sets_elsewhere(call: ast.Call) -> bool:
    """`setattr` on anything but `self`."""
    named = isinstance(call.func, ast.Name) and call.func.id == "setattr"
    return named and not (call.args and isinstance(call.args[0], ast.Name) and call.args[0].id == "self")
