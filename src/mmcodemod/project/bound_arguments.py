"""Which parameter of a function gets which values from a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mmcodemod.facts.python import Parameters
from mmcodemod.facts.terms import Call, Starred, Term
from mmcodemod.project.values import Items, Mapping, Values

Infer = Callable[[Term], Values]


def bound(call: Call, parameters: Parameters, skip: int, infer: Infer) -> Iterator[tuple[str, Values]]:
    """(parameter, values) for the arguments of a call; the first `skip` parameters are bound already."""
    positional = parameters.positional[skip:]
    passed = list(_positional(call, infer))
    yield from zip(positional, passed)
    rest = tuple(passed[len(positional) :])
    if parameters.rest and rest:
        union = frozenset(v for values in rest for v in values)
        yield parameters.rest, frozenset((Items(union, rest),))
    for name, values in keywords(call, infer):
        if name in parameters.by_name:
            yield name, values
        elif parameters.keywords and values:
            yield parameters.keywords, frozenset((Mapping(((name, values),)),))


def _positional(call: Call, infer: Infer) -> Iterator[Values]:
    for expr in call.args:
        if isinstance(expr, Starred):
            for value in infer(expr.value):
                if isinstance(value, Items):
                    yield from value.ordered
                    return
            return
        yield infer(expr)


def keywords(call: Call, infer: Infer) -> Iterator[tuple[str, Values]]:
    """The keyword arguments of a call, those of a `**` with constant keys included."""
    for keyword in call.keywords:
        values = infer(keyword.value)
        if keyword.arg is not None:
            yield keyword.arg, values
            continue
        for value in values:
            if isinstance(value, Mapping):
                yield from ((key, inside) for key, inside in value.items if isinstance(key, str))
