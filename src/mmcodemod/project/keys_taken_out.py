"""Where a function takes a key out of a dictionary again, or puts another value in its place. May-analysis: a
key that does not show may be any key."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk


def key_taken_out(facts: FunctionFacts, name: str, key: str, value: ast.expr, use: ast.expr) -> list[ast.AST]:
    """The places between `value`, which the function has put under `key` of the dictionary `name`, and `use`
    that take it out of there or replace it, in source order."""
    first, last = (value.end_lineno or 0, value.end_col_offset or 0), (use.lineno, use.col_offset)
    nodes = [n for n in own_nodes(facts.node) if isinstance(n, (ast.stmt, ast.expr))]
    found = sorted((n for n in nodes if first <= _start(n) < last), key=_start)
    return [node for node in found if _takes(node, name, key)]


def _start(node: ast.stmt | ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _takes(node: ast.AST, name: str, key: str) -> bool:
    match node:
        case ast.Delete(targets=targets):
            return any(_entry(target, name, key) for target in targets)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr=method)):
            return held == name and _by_method(node, method, key)
        case ast.AugAssign(target=ast.Name(id=held), op=ast.BitOr(), value=more):
            return held == name and key in _keys(more)
        case ast.Assign(targets=targets, value=made):
            return any(_anew(t, made, name, key) or _puts(t, name, key) for t in targets)
        case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as made):
            return _anew(target, made, name, key)
    return False


def _by_method(call: ast.Call, method: str, key: str) -> bool:
    """`pop` of the key, or of one that does not show; `clear`; `update` with the key."""
    if method == "pop":
        return bool(call.args) and _may_be(call.args[0], key)
    return method == "clear" or (method == "update" and any(key in _keys(v) for v in (call, *call.args)))


def _entry(target: ast.expr, name: str, key: str) -> bool:
    """`name[key]`, or with a key that does not show."""
    return isinstance(target, ast.Subscript) and _is(target.value, name) and _may_be(target.slice, key)


def _puts(target: ast.expr, name: str, key: str) -> bool:
    """`name[key]`, with this very key."""
    return _entry(target, name, key) and isinstance(target.slice, ast.Constant)  # type: ignore[attr-defined]


def _anew(target: ast.expr, made: ast.expr, name: str, key: str) -> bool:
    """Is the name bound to a dictionary that does not hold the value any more?"""
    if not _is(target, name):
        return False
    inner = list(walk(made))
    if not any(_is(n, name) for n in inner if isinstance(n, ast.Name)):
        return True
    chosen = any(isinstance(n, ast.comprehension) and n.ifs for n in inner)
    return chosen or key in _keys(made)


def _is(expr: ast.expr, name: str) -> bool:
    return isinstance(expr, ast.Name) and expr.id == name


def _may_be(expr: ast.expr, key: str) -> bool:
    return not isinstance(expr, ast.Constant) or expr.value == key


def _keys(expr: ast.expr) -> Iterator[str]:
    """The keys of a display, or of a call's keywords."""
    if isinstance(expr, ast.Dict):
        yield from (str(k.value) for k in expr.keys if isinstance(k, ast.Constant))
    elif isinstance(expr, ast.Call):
        yield from (k.arg for k in expr.keywords if k.arg)
