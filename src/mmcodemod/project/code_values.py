"""What an argument of a call is, where straight code before it says so: a text, or a dictionary, also one
that is changed key by key. May miss; what a branch, a loop or another function may change is UNKNOWN."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import FunctionNode
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.project.config_values import Names, Value
from mmcodemod.project.python_config import Reading
from mmcodemod.project.sources import Sources

_SIMPLE = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Delete)
_HARMLESS = (
    "print",
    "len",
    "str",
    "dict",
    "list",
    "dumps",
    "dump",
    "copy",
    "deepcopy",
    "info",
    "debug",
    "items",
)


def value_before(
    sources: Sources, path: str, module: ast.Module, function: FunctionNode, call: ast.Call, expr: ast.expr
) -> Value:
    """The value of `expr`, an argument of `call`, which stands in `function` (or in the module itself)."""
    reading = Reading(sources, path, (path,), Names(path))
    inside = None if isinstance(function, ast.Module) else function
    _follow(reading, module.body, call, last=inside is None)
    if inside is not None:
        for name in _parameters(inside.args):
            reading.known[name] = Value(UNKNOWN, Place(path, inside.lineno))
        body = inside.body if isinstance(inside.body, list) else []
        _follow(reading, body, call, last=True)
    return reading.names.value(expr)


def _follow(reading: Reading, body: Iterable[ast.stmt], call: ast.Call, last: bool) -> None:
    """Take the statements in order; of the `last` body, those before the call alone."""
    for node in body:
        if last and node.lineno <= call.lineno <= (node.end_lineno or node.lineno):
            _follow(reading, _blocks_around(node, call), call, last)
            return
        if isinstance(node, _SIMPLE):
            reading.statement(node)
            _forget(reading, _handed_out(node), node)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            _follow(reading, node.body, call, last=False)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            _forget(reading, _stored(node), node)


def _blocks_around(node: ast.stmt, call: ast.Call) -> list[ast.stmt]:
    """The block inside a compound statement that holds the call; none of a simple statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None) or []
        if any(n.lineno <= call.lineno <= (n.end_lineno or n.lineno) for n in block):
            return list(block)
    return []


def _forget(reading: Reading, names: Iterable[str], node: ast.stmt) -> None:
    for name in names:
        reading.known[name] = Value(UNKNOWN, Place(reading.path, node.lineno))


def _stored(node: ast.stmt) -> Iterator[str]:
    """The names that a branch or a loop may give something, or change."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            yield inner.id
        elif isinstance(inner, (ast.Subscript, ast.Attribute)) and isinstance(
            inner.ctx, (ast.Store, ast.Del)
        ):
            yield from (n.id for n in ast.walk(inner.value) if isinstance(n, ast.Name))
        elif isinstance(inner, ast.stmt):
            yield from _handed_out(inner)


def _handed_out(node: ast.stmt) -> Iterator[str]:
    """The names that a statement gives to a function, which may change what they hold."""
    for call in ast.walk(node) if isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign)) else ():
        if isinstance(call, ast.Call) and bare_name(call.func) not in _HARMLESS:
            yield from (a.id for a in call.args if isinstance(a, ast.Name))
            yield from (k.value.id for k in call.keywords if isinstance(k.value, ast.Name))


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    every = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    return (a.arg for a in every if a is not None)
