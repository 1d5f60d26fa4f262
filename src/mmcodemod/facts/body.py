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
    CAUGHT = "caught"  # except expr as name


@dataclass(frozen=True, slots=True)
class Source:
    """One way in which a local name gets a value; `index` is the position in an unpacked tuple, `inner` the
    positions inside that one. `starred` takes all positions from `index` on."""

    expr: ast.expr
    via: Via = Via.VALUE
    index: int = -1
    inner: tuple[int, ...] = ()
    starred: bool = False


@dataclass(frozen=True, slots=True)
class Store:
    """`base.attr = value`."""

    base: ast.expr
    attr: str
    value: Source


@dataclass(frozen=True, slots=True)
class Put:
    """`base[key] = value`, or a call that fills `base`; `key` None for a place that is not known."""

    base: ast.expr
    key: ast.expr | None
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
    yields: list[Source] = field(default_factory=list)  # `yield from` gives elements
    puts: list[Put] = field(default_factory=list)
    reads: list[ast.Attribute] = field(default_factory=list)
    implicit: list[ast.AST] = field(default_factory=list)  # what the language turns into method calls


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a function's body, or of a statement or expression with itself, that run in its own
    scope, in no particular order. Nested functions, lambdas and classes are yielded but not entered (their
    decorators, defaults and bases are)."""
    stack = list(getattr(node, "body", [])) if isinstance(node, (*_SCOPES, ast.Module)) else [node]
    stack = [n for n in stack if not is_main_guard(n)] if isinstance(node, ast.Module) else stack
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, _SCOPES):
            stack.extend(_outside(current))
        elif isinstance(current, ast.Lambda):
            stack.extend(_defaults(current.args))
        else:
            stack.extend(ast.iter_child_nodes(current))


def _outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[ast.AST]:
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from node.bases
        yield from node.body  # class bodies run in the enclosing scope
    else:
        yield from _defaults(node.args)


def _defaults(args: ast.arguments) -> Iterator[ast.expr]:
    yield from args.defaults
    yield from (d for d in args.kw_defaults if d is not None)


def body_of(node: FunctionNode) -> Body:
    """Collect the Body of a function or module."""
    body = Body()
    for current in own_nodes(node):
        kind = current.__class__
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(body, current)
        if kind in IMPLICIT:
            body.implicit.append(current)
    body.calls.sort(key=source_order)
    return body


def source_order(node: ast.expr) -> tuple[int, int, int, int]:
    """The key that sorts nodes as LibCST's pre-order does."""
    return (node.lineno, node.col_offset, -(node.end_lineno or 0), -(node.end_col_offset or 0))


FILLS = frozenset(("append", "extend", "add", "insert"))
_PUTS = FILLS | {"appendleft", "update", "setdefault"}
_OPERATORS: tuple[type, ...] = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign, ast.Subscript)
_LOOPS: tuple[type, ...] = (ast.For, ast.AsyncFor, ast.comprehension, ast.With, ast.AsyncWith)
IMPLICIT = frozenset((*_OPERATORS, *_LOOPS, ast.Raise, ast.FormattedValue, *_SCOPES))


def _call(body: Body, node: ast.Call) -> None:
    body.calls.append(node)
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr in _PUTS and node.args:
        body.puts.extend(_filled(func.value, func.attr, node))
        if func.attr in FILLS and isinstance(func.value, ast.Name):
            body.names.setdefault(func.value.id, []).append(Source(node.args[-1], Via.INTO))


def _filled(base: ast.expr, method: str, node: ast.Call) -> Iterator[Put]:
    if method in ("extend", "update"):
        yield Put(base, None, Source(node.args[0], Via.ELEMENT))
    elif method == "setdefault":
        yield from (Put(base, node.args[0], Source(a)) for a in node.args[1:2])
    else:
        yield Put(base, None, Source(node.args[-1]))


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


def _caught(body: Body, node: ast.ExceptHandler) -> None:
    if node.name and node.type is not None:
        body.names.setdefault(node.name, []).append(Source(node.type, Via.CAUGHT))


def _return(body: Body, node: ast.Return) -> None:
    if node.value is not None:
        body.returns.append(node.value)


def _yield(body: Body, node: ast.Yield) -> None:
    if node.value is not None:
        body.yields.append(Source(node.value))


def _yield_from(body: Body, node: ast.YieldFrom) -> None:
    body.yields.append(Source(node.value, Via.ELEMENT))


def _read(body: Body, node: ast.Attribute) -> None:
    if isinstance(node.ctx, ast.Load):
        body.reads.append(node)


def _global(body: Body, node: ast.Global | ast.Nonlocal) -> None:
    body.globals.update(node.names)


def _bind(body: Body, target: ast.expr, source: Source) -> None:
    if isinstance(target, ast.Name):
        body.names.setdefault(target.id, []).append(source)
    elif isinstance(target, ast.Attribute):
        body.stores.append(Store(target.value, target.attr, source))
    elif isinstance(target, ast.Subscript):
        body.puts.append(Put(target.value, target.slice, source))
    elif isinstance(target, (ast.Tuple, ast.List)):
        for index, element in enumerate(target.elts):
            _bind_part(body, element, index, source)


def _bind_part(body: Body, element: ast.expr, index: int, source: Source) -> None:
    """One element of an unpacking."""
    starred = isinstance(element, ast.Starred)
    target = element.value if isinstance(element, ast.Starred) else element
    if source.index < 0:
        _bind(body, target, Source(source.expr, source.via, index, (), starred))
    else:
        _bind(body, target, Source(source.expr, source.via, source.index, (*source.inner, index), starred))


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
    ast.ExceptHandler: _caught,
    ast.Return: _return,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Attribute: _read,
    ast.Global: _global,
    ast.Nonlocal: _global,
}
