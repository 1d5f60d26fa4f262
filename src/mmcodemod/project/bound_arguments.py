"""Which parameter of a function gets which values from a call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mmcodemod.project.values import Items, Mapping, Values

Infer = Callable[[ast.expr], Values]


def bound(
    call: ast.Call, node: ast.FunctionDef | ast.AsyncFunctionDef, skip: int, infer: Infer
) -> Iterator[tuple[str, Values]]:
    """(parameter, values) for the arguments of a call; the first `skip` parameters are bound already."""
    args = node.args
    positional = [a.arg for a in (*args.posonlyargs, *args.args)][skip:]
    passed = list(_positional(call, infer))
    yield from zip(positional, passed)
    rest = tuple(passed[len(positional) :])
    if args.vararg and rest:
        union = frozenset(v for values in rest for v in values)
        yield args.vararg.arg, frozenset((Items(union, rest),))
    names = {a.arg for a in (*args.args, *args.kwonlyargs)}
    for name, values in keywords(call, infer):
        if name in names:
            yield name, values
        elif args.kwarg and values:
            yield args.kwarg.arg, frozenset((Mapping(((name, values),)),))


def _positional(call: ast.Call, infer: Infer) -> Iterator[Values]:
    for expr in call.args:
        if isinstance(expr, ast.Starred):
            for value in infer(expr.value):
                if isinstance(value, Items):
                    yield from value.ordered
                    return
            return
        yield infer(expr)


def keywords(call: ast.Call, infer: Infer) -> Iterator[tuple[str, Values]]:
    """The keyword arguments of a call, those of a `**` with constant keys included."""
    for keyword in call.keywords:
        values = infer(keyword.value)
        if keyword.arg is not None:
            yield keyword.arg, values
            continue
        for value in values:
            if isinstance(value, Mapping):
                yield from ((key, inside) for key, inside in value.items if isinstance(key, str))
