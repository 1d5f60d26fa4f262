"""Which constants a name may hold, when that is all it may hold: what nobody passes, switches that are never
on. May-analysis: None where anything else may be there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mmcodemod.facts.body import Source, Via
from mmcodemod.facts.outline import MODULE
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import (
    Call,
    Comprehension,
    Constant,
    Dict,
    DictComprehension,
    Either,
    List,
    Name,
    Same,
    Set,
    Term,
    Tuple,
    is_name,
    plain_name,
)
from mmcodemod.model.frozen import frozen
from mmcodemod.project.attributes import Attributes
from mmcodemod.project.callgraph import CallGraph, Edge
from mmcodemod.project.fitting import NEUTRAL
from mmcodemod.project.frame import Frame
from mmcodemod.project.infer import Resolver
from mmcodemod.project.selection import argument
from mmcodemod.project.signatures import bound_first, is_static
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.tables import bound_otherwise
from mmcodemod.project.values import NOTHING, ClassRef, External, Instance


@frozen(slots=True)
class Shape:
    """A constant with the name of its class; not `known`: any object of that builtin class, or "object"."""

    kind: str
    known: bool = False
    value: Any = None


Shapes = frozenset[Shape] | None
_Guess = tuple[Shapes, list[tuple[Term, Frame]]]  # constants that calls pass, and what else with its frame
MAX_SHAPES = 16
MAX_DEPTH = 30  # names followed from caller to caller
_OBJECT = Shape("object")
_BARE = frozenset(("<builtin>.object", "abc.ABC", "typing.Generic", "typing.Protocol"))  # call no methods
_DISPLAYS: dict[type[Term], Shape] = {
    List: Shape("list"),
    Tuple: Shape("tuple"),
    Set: Shape("set"),
    Dict: Shape("dict"),
    DictComprehension: Shape("dict"),
    Comprehension: _OBJECT,
}


def _constant(value: Any) -> Shape:
    return Shape(type(value).__name__, True, value)


class Switches:
    """Answers by frame, from the calls of one call graph."""

    def __init__(self, resolver: Resolver, graph: CallGraph) -> None:
        self._resolver = resolver
        self._attributes = Attributes(resolver.index)
        self._callers: dict[Frame, list[Edge]] = {}
        self._unresolved: dict[str, list[tuple[Frame, Call]]] = {}
        self._known: dict[tuple[Frame, str], Shapes] = {}
        self._guesses: dict[tuple[str, str], _Guess] = {}
        self._depth = 0
        for edges in graph.edges.values():
            for edge in edges:
                self._callers.setdefault(edge.callee, []).append(edge)
        for call in graph.unresolved:
            self._unresolved.setdefault(call.name, []).append((call.caller, call.site))
        for frame, calls in graph.external.items():
            for outside in calls:  # methods of what a library made: an object of the tree, perhaps
                if "()." in outside.name:
                    name = outside.name.rpartition(".")[2]
                    self._unresolved.setdefault(name, []).append((frame, outside.site))

    def of(self, term: Term, frame: Frame) -> Shapes:
        """What an expression may be."""
        if isinstance(term, Constant):
            return frozenset((_constant(term.value),))
        if isinstance(term, Name):
            return self.name(term.id, frame)
        if isinstance(term, Same):
            return self.of(term.value, frame)
        if isinstance(term, Either):
            return _union(self.of(value, frame) for value in term.values)
        if isinstance(term, Call):
            return self._call(term, frame)
        display = _DISPLAYS.get(term.__class__)
        return frozenset((display,)) if display else None

    def _call(self, call: Call, frame: Frame) -> Shapes:
        if is_name(call.func, "getattr") and len(call.args) == 3:
            return self._attribute(call, frame)
        made = self._resolver.infer(call.func, frame)
        named = [v for v in made if isinstance(v, ClassRef) and _is_named(call, v) and not is_stub(v.cls)]
        return frozenset((_OBJECT,)) if named and len(named) == len(made) else None

    def _attribute(self, call: Call, frame: Frame) -> Shapes:
        """`getattr(name, "attribute", default)` of an object of the tree. Others may be there that are not
        known, so all that the tree gives the attribute counts."""
        owner, key, default = call.args
        if not (isinstance(key, Constant) and isinstance(key.value, str) and isinstance(default, Constant)):
            return None
        if not isinstance(owner, Name) or not self._is_seen(owner.id, frame):
            return None
        known = self._attributes.constants(key.value)
        return None if known is None else _capped(_constant(v) for v in (default.value, *known))

    def _is_seen(self, name: str, frame: Frame) -> bool:
        """Is something known for each way in which a name gets objects, and all of it of the tree?"""
        facts = self._resolver.index.function(frame.function)
        if bound_otherwise(self._resolver, facts, name):
            return False
        ways = [self._resolver.source(s, frame) for s in facts.body.names.get(name, ())]
        if name in facts.parameters.names:
            open_ended = self._resolver.is_open(frame, name)
            ways.append(NOTHING if open_ended else self._resolver.infer(Name(name), frame))
        every = [v for values in ways for v in values]
        return all(ways) and all(isinstance(v, Instance) and self._is_whole(v.cls) for v in every)

    def _is_whole(self, cls: str) -> bool:
        """Are all its bases classes of the tree? A library may give its objects any attribute."""
        return not is_stub(cls) and not self._resolver.classes.external_bases(cls)

    # -- names --------------------------------------------------------------------------------------------

    def name(self, name: str, frame: Frame) -> Shapes:
        """What a name may be in one frame of its function."""
        key = (frame, name)
        if key not in self._known:
            if self._depth > MAX_DEPTH:
                return None
            self._known[key] = None  # what depends on itself is not known
            self._depth += 1
            self._known[key] = self._name(name, frame)
            self._depth -= 1
        return self._known[key]

    def _name(self, name: str, frame: Frame) -> Shapes:
        facts = self._resolver.index.function(frame.function)
        body = facts.body
        parameter = name in facts.parameters.names
        sources = body.names.get(name, ())
        if is_stub(frame.function) or bound_otherwise(self._resolver, facts, name):
            return None
        if not (parameter or sources):
            return self._outer(name, facts)
        passed = [self._parameter(name, facts, frame)] if parameter else []
        return _union([*passed, *(self._source(s, frame) for s in sources if s.via is not Via.INTO)])

    def _source(self, source: Source[Term], frame: Frame) -> Shapes:
        plain = source.via is Via.VALUE and source.index < 0
        return self.of(source.expr, frame) if plain else None

    def _outer(self, name: str, facts: FunctionFacts) -> Shapes:
        """A name of the module; those of functions around are not followed."""
        file = self._resolver.index.files[facts.path]
        module = file.functions[MODULE]
        if facts.is_module or facts.parent != MODULE:
            return None
        if name in file.loose or (facts.path, name) in self._resolver.stores or name not in file.bindings:
            return None
        return self.name(name, Frame(module.id))

    # -- parameters ---------------------------------------------------------------------------------------

    def _parameter(self, name: str, facts: FunctionFacts, frame: Frame) -> Shapes:
        """What all callers pass; those that are not resolved count by the function's name."""
        if facts.owner and frame.receiver and name == facts.parameters.first and not is_static(facts):
            return frozenset((_OBJECT,))
        callers = self._callers.get(frame, [])
        if not callers or name in (facts.parameters.rest, facts.parameters.keywords):
            return None
        if self._is_called_elsewhere(facts, frame):
            return None
        resolved = (self._passed(e, name, facts) for e in callers if not _hands_itself_on(e, name))
        return _union([*resolved, *self._guessed(name, facts)])

    def _is_called_elsewhere(self, facts: FunctionFacts, frame: Frame) -> bool:
        """May code that is not seen call it: a decorator, `partial`, a library that the class extends?"""
        resolver = self._resolver
        if not facts.decorators <= NEUTRAL or facts.id in resolver.partial:
            return True
        bases = resolver.classes.mro(frame.receiver) if frame.receiver else ()
        extends = any(isinstance(base, External) and base.name not in _BARE for base in bases)
        return extends or resolver.is_open(frame, "")

    def _guessed(self, name: str, facts: FunctionFacts) -> Iterator[Shapes]:
        """What the calls pass that may be of the function: asked for each of its frames, looked for once."""
        key = (facts.id, name)
        if key not in self._guesses:
            self._guesses[key] = self._guess(name, facts)
        constants, others = self._guesses[key]
        yield constants
        yield from (self.of(term, caller) for term, caller in others)

    def _guess(self, name: str, facts: FunctionFacts) -> _Guess:
        called = facts.owner.rpartition(".")[2] if facts.name == "__init__" and facts.owner else facts.name
        skip = bound_first(facts)
        named = self._unresolved.get(called, ())
        dynamic = self._unresolved.get("", ())  # getattr(owner, name)(...)
        given = [
            *((self._given(call, caller, name, facts, skip)) for caller, call in named),
            *((k.value, caller) for caller, call in dynamic for k in call.keywords if k.arg == name),
        ]
        known = [one for one in given if one is not None]
        constants = frozenset(_constant(t.value) for t, _ in known if isinstance(t, Constant))
        others = [(term, caller) for term, caller in known if not isinstance(term, Constant)]
        return (constants, others) if len(known) == len(given) else (None, [])

    def _passed(self, edge: Edge, name: str, facts: FunctionFacts) -> Shapes:
        if edge.site is None or edge.skip is None or is_stub(edge.caller.function):
            return None
        return self._argument(edge.site, edge.caller, name, facts, edge.skip)

    def _argument(self, call: Call, caller: Frame, name: str, facts: FunctionFacts, skip: int) -> Shapes:
        given = self._given(call, caller, name, facts, skip)
        return self.of(*given) if given else None

    def _given(
        self, call: Call, caller: Frame, name: str, facts: FunctionFacts, skip: int
    ) -> tuple[Term, Frame] | None:
        """What a call passes, and the frame that says it."""
        given = argument(call, facts, name, skip)
        if given is None:
            return None
        default = given is facts.default(name)
        return given, Frame(f"{facts.path}::{facts.parent}") if default else caller


def _is_named(call: Call, made: ClassRef) -> bool:
    """Is a class called by its own name?"""
    return plain_name(call.func) == made.cls.rpartition("::")[2].rpartition(".")[2]


def _hands_itself_on(edge: Edge, name: str) -> bool:
    """Does a function pass its own parameter to itself?"""
    if edge.site is None or edge.caller.function != edge.callee.function:
        return False
    return any(k.arg == name and plain_name(k.value) == name for k in edge.site.keywords)


def _union(parts: Iterable[Shapes]) -> Shapes:
    found: set[Shape] = set()
    for part in parts:
        if part is None:
            return None
        found |= part
    return _capped(found)


def _capped(shapes: Iterable[Shape]) -> Shapes:
    found = frozenset(shapes)
    return found if len(found) <= MAX_SHAPES else None
