"""Strings that are written in the tree: constants, and tables of them. Unlike other values these are all that
may be there, or None."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from mmcodemod.facts.body import Put, Source, Via
from mmcodemod.facts.outline import MODULE
from mmcodemod.facts.python import ClassFacts, FunctionFacts
from mmcodemod.facts.terms import (
    Attribute,
    Call,
    Constant,
    Dict,
    Either,
    List,
    Name,
    Same,
    Set,
    Starred,
    Subscript,
    Sum,
    Term,
    Tuple,
    is_name,
)
from mmcodemod.project.frame import Frame
from mmcodemod.project.signatures import is_static
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound, ClassRef, External, FunctionRef, Instance, ModuleRef

if TYPE_CHECKING:
    from mmcodemod.project.infer import Resolver

Strings = frozenset[str]
At = tuple[Term, Frame]
MAX_STEPS = 4000  # expressions that one answer may look at
MAX_DEPTH = 12
_COPIES = frozenset(f"<builtin>.{name}" for name in ("list", "tuple", "set", "frozenset", "sorted"))


class _Unknown(Exception):
    """Something may be there that is not written down."""


class Tables:
    """`given` tells what a parameter is known to be in one frame."""

    def __init__(self, resolver: Resolver, given: Callable[[Frame, str], Strings | None]) -> None:
        self._resolver = resolver
        self._given = given
        self._steps = 0

    def strings(self, term: Term, frame: Frame) -> Strings | None:
        """All strings that an expression may be."""
        return self._answer(lambda: self._follow(term, frame, 0))

    def elements(self, term: Term, frame: Frame) -> Strings | None:
        """All strings that a loop over an expression gives."""
        return self._answer(lambda: self._elements(term, frame, 0))

    def held(self, cls: str, attr: str) -> Strings | None:
        """The elements of a class's attribute, or with "()" of what its method returns."""
        if attr.endswith("()"):
            method = self._resolver.classes.find(cls, attr[:-2])
            return self._answer(lambda: self._in_all(self._returned(method or "", cls, 0), 0))
        return self._answer(lambda: self._in_all(self._attribute(cls, attr, 0), 0))

    def _answer(self, found: Callable[[], Iterator[At]]) -> Strings | None:
        self._steps = 0
        try:
            return frozenset(_text(term) for term, _ in found())
        except _Unknown:
            return None

    # -- what an expression is, as it is written ----------------------------------------------------------

    def _follow(self, term: Term, frame: Frame, depth: int) -> Iterator[At]:
        """The constants and displays that an expression may be."""
        self._steps += 1
        if depth > MAX_DEPTH or self._steps > MAX_STEPS:
            raise _Unknown
        if isinstance(term, (Constant, List, Tuple, Set, Dict)):
            yield term, frame
        elif isinstance(term, Name):
            yield from self._name(term.id, frame, depth + 1)
        elif isinstance(term, Attribute):
            yield from self._member(term, frame, depth + 1)
        elif isinstance(term, Subscript):
            yield from self._entries(term, frame, depth + 1)
        elif isinstance(term, Call):
            yield from self._called(term, frame, depth + 1)
        elif isinstance(term, (Either, Sum)):
            for part in term.values if isinstance(term, Either) else term.elts:
                yield from self._follow(part, frame, depth + 1)
        elif isinstance(term, Same):
            yield from self._follow(term.value, frame, depth + 1)
        else:
            raise _Unknown

    def _elements(self, term: Term, frame: Frame, depth: int) -> Iterator[At]:
        yield from self._in_all(self._follow(term, frame, depth), depth)

    def _in_all(self, displays: Iterator[At], depth: int) -> Iterator[At]:
        """The elements of lists and the keys of dicts, followed."""
        for display, frame in displays:
            if self._added(display, frame):
                raise _Unknown
            for part in _parts(display):
                if isinstance(part, Starred):
                    yield from self._elements(part.value, frame, depth + 1)
                else:
                    yield from self._follow(part, frame, depth + 1)

    def _added(self, display: Term, frame: Frame) -> list[tuple[Put[Term], Frame]]:
        """What other code puts into a list or dict."""
        return list(self._resolver.filled.get(self._resolver.site(display, frame), {}))

    def _entries(self, term: Subscript, frame: Frame, depth: int) -> Iterator[At]:
        """`table[key]`: what stands under the key, under any where it is not constant."""
        key = term.slice.value if isinstance(term.slice, Constant) else None
        for display, scope in self._follow(term.value, frame, depth):
            for value in _values(display, key):
                yield from self._follow(value, scope, depth)
            for put, place in self._added(display, scope):
                if put.key is None or put.value.via is not Via.VALUE:
                    raise _Unknown
                yield from self._source(put.value, place, depth)

    # -- names --------------------------------------------------------------------------------------------

    def _name(self, name: str, frame: Frame, depth: int) -> Iterator[At]:
        given = self._given(frame, name)
        facts = self._resolver.index.function(frame.function)
        if given is not None:
            yield from ((Constant(text), frame) for text in sorted(given))
        elif bound_otherwise(self._resolver, facts, name) or name in facts.parameters.names:
            raise _Unknown
        elif name in facts.body.names:
            for source in facts.body.names[name]:
                yield from self._source(source, frame, depth)
        elif facts.is_module or facts.parent != MODULE:
            raise _Unknown
        else:
            yield from self._name(name, Frame(f"{facts.path}::{MODULE}"), depth)

    def _source(self, source: Source[Term], frame: Frame, depth: int) -> Iterator[At]:
        if source.index >= 0 or source.via not in (Via.VALUE, Via.ELEMENT):
            raise _Unknown
        if source.via is Via.VALUE:
            yield from self._follow(source.expr, frame, depth)
        else:
            yield from self._elements(source.expr, frame, depth)

    def _member(self, term: Attribute, frame: Frame, depth: int) -> Iterator[At]:
        facts = self._resolver.index.function(frame.function)
        if frame.receiver and not is_static(facts) and is_name(term.value, facts.parameters.first):
            yield from self._attribute(frame.receiver, term.attr, depth)
            return
        owners = self._resolver.infer(term.value, frame)
        for owner in owners:
            if isinstance(owner, (ClassRef, Instance)):
                yield from self._attribute(owner.cls, term.attr, depth)
            elif isinstance(owner, ModuleRef) and owner.path:
                yield from self._name(term.attr, Frame(f"{owner.path}::{MODULE}"), depth)
            else:
                raise _Unknown
        if not owners:
            raise _Unknown

    def _attribute(self, cls: str, name: str, depth: int) -> Iterator[At]:
        """What the body of a class gives a name that nothing else does."""
        resolver = self._resolver
        if is_stub(cls) or (cls, name) in resolver.stores or name in resolver.patched_names:
            raise _Unknown
        definer = self._definer(cls, name)
        for expr in definer.attributes[name]:
            yield from self._follow(expr, Frame(f"{definer.path}::{definer.scope}"), depth)

    def _definer(self, cls: str, name: str) -> ClassFacts:
        for facts in self._resolver.classes.own(cls):
            if name in facts.methods or name in self._resolver.stored(facts):
                break
            if name in facts.attributes:
                return facts
        raise _Unknown

    # -- calls --------------------------------------------------------------------------------------------

    def _called(self, call: Call, frame: Frame, depth: int) -> Iterator[At]:
        if isinstance(call.func, Attribute) and call.func.attr == "keys" and not call.args:
            yield from self._follow(call.func.value, frame, depth)
            return
        callees = self._resolver.infer(call.func, frame)
        for callee in callees:
            if isinstance(callee, External) and callee.name in _COPIES and len(call.args) == 1:
                yield from self._follow(call.args[0], frame, depth)
            elif isinstance(callee, (FunctionRef, Bound)) and not is_stub(callee.function):
                yield from self._returned(callee.function, getattr(callee, "receiver", ""), depth)
            else:
                raise _Unknown
        if not callees:
            raise _Unknown

    def _returned(self, function: str, receiver: str, depth: int) -> Iterator[At]:
        body = self._resolver.body(function) if function else None
        if body is None or not body.returns or body.yields:
            raise _Unknown
        for expr in body.returns:
            yield from self._follow(expr, Frame(function, receiver), depth)


def _text(term: Term) -> str:
    if isinstance(term, Constant) and isinstance(term.value, str):
        return term.value
    raise _Unknown


def _parts(display: Term) -> Iterator[Term]:
    """Elements, and the keys of a dict; a dict inside is spread."""
    if isinstance(display, Dict):
        for key, value in zip(display.keys, display.values):
            yield Starred(value, 0, 0) if key is None else key
    elif isinstance(display, (List, Tuple, Set)):
        yield from display.elts
    else:
        raise _Unknown


def _values(display: Term, key: object) -> list[Term]:
    """What stands under a constant key of a dict; all values where it is None."""
    if not isinstance(display, Dict) or None in display.keys:
        raise _Unknown
    pairs = zip(display.keys, display.values)
    return [v for k, v in pairs if key is None or not isinstance(k, Constant) or k.value == key]


def bound_otherwise(resolver: Resolver, facts: FunctionFacts, name: str) -> bool:
    """Does the name get values in a way that is not followed: imports, definitions, other functions?"""
    file = resolver.index.files[facts.path]
    imports = (*file.imports, *facts.imports) if facts.is_module else facts.imports
    inside = name if facts.is_module else f"{facts.qualname}.{name}"
    return (
        name in facts.body.globals
        or name in facts.body.counted
        or name in file.writers
        or inside in file.functions
        or inside in file.classes
        or any(item.bound == name for item in imports)
        or (facts.is_module and (name in file.loose or (facts.path, name) in resolver.stores))
        or (facts.is_module and name not in file.bindings and bool(file.stars))
        or (facts.is_module and file.writes_names)
    )
