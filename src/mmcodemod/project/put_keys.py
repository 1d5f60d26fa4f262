"""Which keys the dict surely has that a function returns. Must-analysis: None where the dict is bound twice,
handed on, or loses keys, and where there are several returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.frozen import frozen

_ADDING = ("update", "setdefault", "keys", "values", "items", "get")

Needs = frozenset[str]


@frozen()
class Put:
    """Where a key is put into the dict, and under which tests: their texts."""

    line: int
    needs: Needs = frozenset()


def put_keys(function: ast.FunctionDef) -> Mapping[str, Put] | None:
    """The keys, with what must be true for each; None where they do not show."""
    returned = [n.value for n in own_nodes(function) if isinstance(n, ast.Return)]
    if len(returned) != 1 or returned[0] is None or not isinstance(function.body[-1], ast.Return):
        return None
    value = returned[0]
    if not isinstance(value, ast.Name):
        return _displayed(value)
    if not all(_keeps(n) for n in own_nodes(function) for n in _uses(n, value.id)):
        return None
    return _after(function.body, value.id)


def _after(body: Sequence[ast.stmt], name: str) -> Mapping[str, Put] | None:
    """What is put in after the name is bound for the last time, which must be for every run."""
    binds = [n for s in body for n in own_nodes(s) if isinstance(n, ast.Name) and n.id == name]
    binds = [n for n in binds if isinstance(n.ctx, ast.Store)]
    last = max((n.lineno for n in binds), default=0)
    ways = [n for n, s in enumerate(body) if s.lineno <= last <= (s.end_lineno or s.lineno)]
    if len(ways) != 1:
        return None
    bound = body[ways[0]]
    plain = isinstance(bound, ast.Assign) and isinstance(bound.targets[0], ast.Name)
    given = _displayed(bound.value) if plain and isinstance(bound, ast.Assign) else None
    return {**(given or {}), **_put(body[ways[0] + 1 :], name)}


def _displayed(value: ast.expr) -> Mapping[str, Put] | None:
    """The keys of `dict(key=...)` and `{"key": ...}`."""
    if isinstance(value, ast.Dict):
        keys = [k.value for k in value.keys if isinstance(k, ast.Constant)]
        return {key: Put(value.lineno) for key in keys if isinstance(key, str)}
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict":
        return {k.arg: Put(value.lineno) for k in value.keywords if k.arg is not None}
    return None


def _put(body: Sequence[ast.stmt], name: str) -> dict[str, Put]:
    found: dict[str, Put] = {}
    for statement in body:
        if isinstance(statement, ast.Assign):
            keys = (_key(target, name) for target in statement.targets)
            found.update((key, Put(statement.lineno)) for key in keys if key)
        elif isinstance(statement, ast.If):
            found.update((k, p) for k, p in _tested(statement, name) if k not in found)
    return found


def _tested(statement: ast.If, name: str) -> Iterator[tuple[str, Put]]:
    """What both sides put in, or the one side under its test."""
    true, false = _put(statement.body, name), _put(statement.orelse, name)
    for key, put in true.items():
        other = false[key].needs if key in false else {unparse(statement.test)}
        yield key, Put(put.line, put.needs | other)


def _key(target: ast.expr, name: str) -> str:
    match target:
        case ast.Subscript(value=ast.Name(id=holder), slice=ast.Constant(value=str(key))) if holder == name:
            return key
    return ""


def _uses(node: ast.AST, name: str) -> Iterator[ast.AST]:
    """The nodes right around a use of the name."""
    inner = ast.iter_child_nodes(node)
    if any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in inner):
        yield node


def _keeps(holder: ast.AST) -> bool:
    """Does the dict keep its keys, and nobody else get it?"""
    if isinstance(holder, ast.Subscript):
        return not isinstance(holder.ctx, ast.Del)
    if isinstance(holder, ast.Attribute):
        return holder.attr in _ADDING
    return isinstance(holder, (ast.Return, ast.Compare))
