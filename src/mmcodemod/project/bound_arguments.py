"""Which parameter of a function gets which values from a call. May-analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mmcodemod.facts.python import Parameters
from mmcodemod.facts.terms import Call, Starred, Term
from mmcodemod.project.values import Items, Key, Mapping, Values

Infer = Callable[[Term], Values]
Spread = Callable[[Values], Iterable[tuple[Key, Values]]]  # the entries of dicts
Passed = tuple[str, Values]  # a parameter, and what it gets


def bound(call: Call, parameters: Parameters, skip: int, infer: Infer, spread: Spread) -> Iterator[Passed]:
    """What a call passes; the first `skip` parameters are bound already."""
    yield from placed(parameters, skip, list(positional(call, infer)))
    yield from named(parameters, list(keywords(call, infer, spread)))


def placed(parameters: Parameters, skip: int, passed: list[Values]) -> Iterator[Passed]:
    """What positional values reach."""
    taking = parameters.positional[skip:]
    yield from zip(taking, passed)
    rest = tuple(passed[len(taking) :])
    if parameters.rest and rest:
        union = frozenset(v for values in rest for v in values)
        yield parameters.rest, frozenset((Items(union, rest),))


def named(parameters: Parameters, passed: list[Passed]) -> Iterator[Passed]:
    """What values by name reach."""
    if not passed:
        return
    names = parameters.by_name
    yield from ((name, values) for name, values in passed if name in names)
    rest = tuple((name, values) for name, values in passed if name not in names and values)
    if parameters.keywords and rest:
        yield parameters.keywords, frozenset((Mapping(rest),))


def positional(call: Call, infer: Infer) -> Iterator[Values]:
    """The values of the positional arguments, spread lists included."""
    for expr in call.args:
        if isinstance(expr, Starred):
            yield from _spread(infer(expr.value))
        else:
            yield infer(expr)


def _spread(values: Values) -> list[Values]:
    lists = [v for v in values if isinstance(v, Items)]
    length = max((len(v.ordered) for v in lists), default=0)
    parts = [[v.ordered[i] for v in lists if i < len(v.ordered)] for i in range(length)]
    return [frozenset(v for part in at for v in part) for at in parts]


def keywords(call: Call, infer: Infer, spread: Spread) -> Iterator[Passed]:
    """The values of the keyword arguments, spread dicts included."""
    for keyword in call.keywords:
        values = infer(keyword.value)
        if keyword.arg is not None:
            yield keyword.arg, values
            continue
        for key, inside in spread(values):
            if isinstance(key, str):
                yield key, inside
