"""Full facts of one function: its calls, assignments, stores and returns, nested functions left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from mmcodemod.facts.python import FunctionNode, is_main_guard


class Via(Enum):
    """How a name gets its value from an expression."""

    VALUE = "value"  # name = expr
    ELEMENT = "element"  # for name in expr
    ENTER = "enter"  # with expr as name
    INTO = "into"  # name.append(expr)


@dataclass(frozen=True, slots=True)
class Source:
    """One way in which a local name gets a value; `index` is the position in an unpacked tuple."""

    expr: ast.expr
    via: Via = Via.VALUE
    index: int = -1


@dataclass(frozen=True, slots=True)
class Store:
    """`base.attr = value`."""

    base: ast.expr
    attr: str
    value: Source


@dataclass(eq=False, slots=True)
class Body:
    """What one function's own code does. `calls` are in source order."""

    calls: list[ast.Call] = field(default_factory=list)
    names: dict[str, list[Source]] = field(default_factory=dict)
    stores: list[Store] = field(default_factory=list)
    returns: list[ast.expr] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)  # names that `name += 1` counts


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a function's body, or of a statement or expression with itself, that run in its own
    scope, in no particular order. Nested functions and classes are yielded but not entered (their
    decorators, defaults and bases are)."""
    stack = list(getattr(node, "body", [])) if isinstance(node, (*_SCOPES, ast.Module)) else [node]
    stack = [n for n in stack if not is_main_guard(n)] if isinstance(node, ast.Module) else stack
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, _SCOPES):
            stack.extend(_outside(current))
        else:
            stack.extend(ast.iter_child_nodes(current))


def _outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[ast.AST]:
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from node.bases
        for statement in node.body:  # class bodies run in the enclosing scope
            if not isinstance(statement, _SCOPES):
                yield statement
    else:
        yield from node.args.defaults
        yield from (d for d in node.args.kw_defaults if d is not None)


def body_of(node: FunctionNode) -> Body:
    """Collect the Body of a function or module."""
    body = Body()
    for current in own_nodes(node):
        handler = _HANDLERS.get(current.__class__)
        if handler is not None:
            handler(body, current)
    body.calls.sort(key=source_order)
    return body


def source_order(node: ast.expr) -> tuple[int, int, int, int]:
    """The key that sorts nodes as LibCST's pre-order does."""
    return (node.lineno, node.col_offset, -(node.end_lineno or 0), -(node.end_col_offset or 0))


FILLS = frozenset(("append", "extend", "add", "insert"))


def _call(body: Body, node: ast.Call) -> None:
    body.calls.append(node)
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr in FILLS and node.args:
        if isinstance(func.value, ast.Name):
            body.names.setdefault(func.value.id, []).append(Source(node.args[-1], Via.INTO))


def _assign(body: Body, node: ast.Assign) -> None:
    for target in node.targets:
        _bind(body, target, Source(node.value))


def _annotated(body: Body, node: ast.AnnAssign) -> None:
    if node.value is not None:
        _bind(body, node.target, Source(node.value))


def _augmented(body: Body, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name) and isinstance(node.value, ast.Constant):
        body.counted.add(node.target.id)
    _bind(body, node.target, Source(node.value))


def _walrus(body: Body, node: ast.NamedExpr) -> None:
    _bind(body, node.target, Source(node.value))


def _loop(body: Body, node: ast.For | ast.AsyncFor | ast.comprehension) -> None:
    _bind(body, node.target, Source(node.iter, Via.ELEMENT))


def _with(body: Body, node: ast.withitem) -> None:
    if node.optional_vars is not None:
        _bind(body, node.optional_vars, Source(node.context_expr, Via.ENTER))


def _return(body: Body, node: ast.Return) -> None:
    if node.value is not None:
        body.returns.append(node.value)


def _global(body: Body, node: ast.Global | ast.Nonlocal) -> None:
    body.globals.update(node.names)


def _bind(body: Body, target: ast.expr, source: Source) -> None:
    if isinstance(target, ast.Name):
        body.names.setdefault(target.id, []).append(source)
    elif isinstance(target, ast.Attribute):
        body.stores.append(Store(target.value, target.attr, source))
    elif isinstance(target, (ast.Tuple, ast.List)):
        for index, element in enumerate(target.elts):
            inner = element.value if isinstance(element, ast.Starred) else element
            _bind(body, inner, Source(source.expr, source.via, index))


_HANDLERS: dict[type, Any] = {
    ast.Call: _call,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.NamedExpr: _walrus,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.comprehension: _loop,
    ast.withitem: _with,
    ast.Return: _return,
    ast.Global: _global,
    ast.Nonlocal: _global,
}
