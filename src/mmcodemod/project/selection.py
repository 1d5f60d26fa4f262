"""Functions that choose by a string: `build("clip")` returns something else than `build("siglip")`. Where a
call passes only strings that are written in the tree, its result is worked out for these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Call, Name, Starred, Subscript, Term, is_name
from mmcodemod.facts.tests import TESTS, Guard
from mmcodemod.project.frame import Frame
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.tables import Strings, Tables
from mmcodemod.project.values import ClassRef, Instance, Text, Value, Values, capped, ordered

if TYPE_CHECKING:
    from mmcodemod.project.infer import Resolver

MAX_CHOICES = 32  # strings that one call may pass for one parameter
_CHOOSING = frozenset(("==", "in", "contains", "member"))


class Selections:
    """`chosen`: what parameters are known to be, by the frames that stand for such calls."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._chosen: dict[tuple[Frame, str], Strings] = {}
        self._tables = Tables(resolver, lambda frame, name: self._chosen.get((frame, name)))
        self._selectors: dict[str, tuple[str, ...]] = {}

    def frame(self, to: Frame, skip: int, call: Call, caller: Frame) -> Frame:
        """The frame of what a call passes; `to` itself where that makes no difference."""
        if to.site or is_stub(to.function):
            return to
        passed = {name: self._passed(name, to, skip, call, caller) for name in self._selecting(to.function)}
        chosen = {name: strings for name, strings in passed.items() if strings is not None}
        if not chosen:
            return to
        site = "&".join(f"{name}={'|'.join(sorted(strings))}" for name, strings in sorted(chosen.items()))
        frame = Frame(to.function, to.receiver, site)
        for name, strings in chosen.items():
            self._chosen[frame, name] = strings
            self._resolver.params[frame, name] = frozenset(Text(text) for text in strings)
        return frame

    def _passed(self, name: str, to: Frame, skip: int, call: Call, caller: Frame) -> Strings | None:
        facts = self._resolver.index.function(to.function)
        given = argument(call, facts, name, skip)
        strings = self._tables.strings(given, caller) if given is not None else None
        return strings if strings is not None and len(strings) <= MAX_CHOICES else None

    def _selecting(self, function: str) -> tuple[str, ...]:
        """The parameters by which a function chooses what it returns."""
        if function not in self._selectors:
            facts = self._resolver.index.function(function)
            used = set(_used(facts)) if facts.body.returns else set()
            given = facts.parameters.names - facts.body.names.keys()  # nothing else is assigned to them
            self._selectors[function] = tuple(sorted(used & given))
        return self._selectors[function]

    # -- what such a frame returns ------------------------------------------------------------------------

    def returned(self, frame: Frame) -> Values:
        """What the tests of a frame's parameters let it return."""
        body = self._resolver.body(frame.function)
        found: set[Value] = set()
        if not all(self._chosen.get((frame, name), True) for name in self._selecting(frame.function)):
            return capped(found)  # nothing is ever passed: a loop over an empty table
        for expr in body.returns:
            guards = [g for g in body.behind.get(id(expr), ()) if (frame, g[0]) in self._chosen and not g[1]]
            names = dict.fromkeys(g[0] for g in guards)
            tests = [[g for g in guards if g[0] == name] for name in names]
            found |= self._result(expr, tests, frame)
        return capped(found)

    def _result(self, expr: Term, tests: list[list[Guard]], frame: Frame) -> Values:
        """What one `return` gives. Of `return cls(...)` behind `name in cls.names()`, each class is asked."""
        if isinstance(expr, Call) and isinstance(expr.func, Name):
            callees = ordered(self._resolver.infer(expr.func, frame))
            kept = [v for v in callees if self._runs(tests, frame, expr.func.id, v)]
            if len(kept) < len(callees):
                return capped(v for callee in kept for v in self._resolver.called(callee, expr, frame))
        return self._resolver.infer(expr, frame) if self._runs(tests, frame) else frozenset()

    def _runs(
        self, tests: list[list[Guard]], frame: Frame, name: str = "", value: Value | None = None
    ) -> bool:
        return all(self._may_hold(same, frame, name, value) for same in tests)

    def _may_hold(self, guards: list[Guard], frame: Frame, name: str, value: Value | None) -> bool:
        """Is there a string that all tests of one parameter allow?"""
        tables = [self._table(g[3], frame, name, value) if g[2] == "member" else None for g in guards]
        strings = self._chosen[frame, guards[0][0]]
        return any(all(_allows(s, g, table) for g, table in zip(guards, tables)) for s in strings)

    def _table(self, path: str, frame: Frame, name: str, value: Value | None) -> Strings | None:
        owner, _, attr = path.partition(".")
        if not attr:
            return self._tables.elements(Name(owner), frame)
        if owner == name and isinstance(value, (ClassRef, Instance)):
            return self._tables.held(value.cls, attr)
        return None


def _allows(text: str, guard: Guard, table: Strings | None) -> bool:
    _, _, operator, constant, holds, _ = guard
    if operator == "member":
        return table is None or (text in table) is holds
    if operator == "isa":
        return ("str" in constant) is holds
    return TESTS[operator](text, constant) is holds


def argument(call: Call, facts: FunctionFacts, name: str, skip: int) -> Term | None:
    """What a call passes for a parameter, the first `skip` being bound already; its default where the call
    passes nothing; None where that does not show."""
    for keyword in call.keywords:
        if keyword.arg == name and name not in facts.parameters.positional_only:
            return keyword.value
    positional = facts.parameters.positional
    at = positional.index(name) - skip if name in positional else -1
    before = call.args[: at + 1] if at >= 0 else call.args
    if any(isinstance(a, Starred) for a in before):
        return None
    if 0 <= at < len(call.args):
        return call.args[at]
    return None if any(k.arg is None for k in call.keywords) else facts.default(name)


def _used(facts: FunctionFacts) -> Iterator[str]:
    """Names that tests compare, and names that are keys."""
    body = facts.body
    for guards in body.behind.values():
        yield from (g[0] for g in guards if g[2] in _CHOOSING and not g[1])
    sources = (source.expr for sources in body.names.values() for source in sources)
    for term in (*body.returns, *sources):
        yield from _keys(term)


def _keys(term: Term) -> Iterator[str]:
    """`name` of `table[name]`, `table[name](...)` and `getattr(owner, name)`."""
    if isinstance(term, Subscript) and isinstance(term.slice, Name):
        yield term.slice.id
    elif isinstance(term, Call):
        if is_name(term.func, "getattr") and len(term.args) > 1 and isinstance(term.args[1], Name):
            yield term.args[1].id
        yield from _keys(term.func)
