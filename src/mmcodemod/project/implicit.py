"""Calls that are written nowhere, by function: decorators, operators, loops, `with`, `raise`, properties."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from mmcodemod.facts.reader import LOOP
from mmcodemod.facts.terms import Attribute, Call, Decoration, Term, method_call
from mmcodemod.knowledge.protocols import BUILTIN_METHODS, ITERATING
from mmcodemod.project.infer import Resolver
from mmcodemod.project.signatures import is_property

NOT_CALLED = frozenset(("__init__", "__new__", "__post_init__", "__call__"))


class Implicit:
    """Synthetic calls, made once for each function: the memo of values is keyed by their identity."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._index = resolver.index
        self._calls: dict[str, list[Call]] = {}
        self._reads: dict[str, list[Call]] = {}
        self._raised: dict[str, list[Call]] = {}
        self._by_builtin: dict[int, list[Call]] = {}

    @cached_property
    def _methods(self) -> frozenset[str]:
        """The special methods that some class defines."""
        every = (n for f in self._index.files.values() for c in f.classes.values() for n in c.methods)
        return frozenset(n for n in every if n.startswith("__") and n not in NOT_CALLED)

    @cached_property
    def _properties(self) -> frozenset[str]:
        """The names that are a property of some class."""
        every = (f for file in self._index.files.values() for f in file.functions.values())
        return frozenset(f.name for f in every if f.owner and is_property(f))

    def calls(self, function: str) -> list[Call]:
        """What decorators, operators, loops and `with` call."""
        if function not in self._calls:
            implied = self._resolver.body(function).implied
            self._calls[function] = [c for item in implied for c in self._of(function, *item)]
        return self._calls[function]

    def _of(
        self, function: str, name: str, base: tuple[object, ...], args: tuple[object, ...]
    ) -> Iterator[Call]:
        if name and name != LOOP and name not in self._methods:
            return
        terms = self._index.function(function).own.terms
        found = terms.of(base)
        if name == LOOP:
            yield from self._wanted(_loop(found))
        elif name:
            yield method_call(found, name, *terms.all(args))
        while isinstance(found, Decoration) and not name:
            yield found
            found = found.args[0]

    def _wanted(self, calls: Iterator[Call]) -> Iterator[Call]:
        return (c for c in calls if isinstance(c.func, Attribute) and c.func.attr in self._methods)

    def raised(self, function: str) -> list[Call]:
        """`raise Class` makes an object."""
        if function not in self._raised:
            facts = self._index.function(function)
            self._raised[function] = [_called(e) for e in facts.own.terms.all(facts.body.raised)]
        return self._raised[function]

    def reads(self, function: str) -> list[Call]:
        """Reads of properties, and assignments to them."""
        if function not in self._reads:
            facts = self._index.function(function)
            read = [r for r in facts.body.reads if r[2] in self._properties]
            found = [_called(e) for e in facts.own.terms.all(tuple(read))]
            for store in facts.body.stores:
                if store.attr in self._properties:
                    base = store.base
                    target = Attribute(base, store.attr, True, base.lineno, base.col_offset)
                    found.append(_called(target, store.value.expr))
            self._reads[function] = found
        return self._reads[function]

    def by_builtin(self, name: str, call: Call) -> list[Call]:
        """The methods of its arguments that a builtin calls."""
        if id(call) not in self._by_builtin:
            self._by_builtin[id(call)] = list(self._of_builtin(name, call))
        return self._by_builtin[id(call)]

    def _of_builtin(self, name: str, call: Call) -> Iterator[Call]:
        for argument in call.args if name in BUILTIN_METHODS or name in ITERATING else ():
            if name in ITERATING:
                yield from self._wanted(_iteration(argument))
            for names in BUILTIN_METHODS.get(name, ()):
                yield from (method_call(argument, n) for n in names if n in self._methods)


def _iteration(base: Term) -> Iterator[Call]:
    """What a loop over `base` calls."""
    iterator = method_call(base, "__iter__")
    yield iterator
    yield method_call(iterator, "__next__")
    yield method_call(base, "__getitem__")


def _loop(base: Term) -> Iterator[Call]:
    yield from _iteration(base)
    yield method_call(base, "__aiter__")
    yield method_call(method_call(base, "__aiter__"), "__anext__")


def _called(func: Term, *args: Term) -> Call:
    """`func(*args)`, placed where `func` stands."""
    return Call(func, args, (), func.lineno, func.col_offset, func.lineno, func.col_offset)
