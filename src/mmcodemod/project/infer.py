"""What an expression may be: demand-driven, by receiver class, memoised per round. May-analysis:
a value that is missing means "not known", never "cannot be"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mmcodemod.facts.body import Source, Via
from mmcodemod.facts.terms import (
    Attribute,
    Call,
    Comprehension,
    Constant,
    Decoration,
    Definition,
    Dict,
    DictComprehension,
    Either,
    Lambda,
    List,
    Name,
    Same,
    Set,
    Starred,
    Subscript,
    Sum,
    Term,
    Tuple,
)
from mmcodemod.knowledge.wrappers import (
    FACTORY_METHODS,
    WRAPPERS,
)
from mmcodemod.project.bound_arguments import bound
from mmcodemod.project.frame import Frame
from mmcodemod.project.index import Index
from mmcodemod.project.library import library_name, unmade
from mmcodemod.project.selection import Selections
from mmcodemod.project.signatures import is_static
from mmcodemod.project.special_calls import SpecialCalls
from mmcodemod.project.stubs import INTRINSICS, allocated, handed_on, is_stub, site_of
from mmcodemod.project.values import (
    NOTHING,
    Bound,
    ClassRef,
    External,
    FunctionRef,
    Instance,
    Items,
    Made,
    Value,
    Values,
    capped,
    few_classes,
    flat,
    made,
    ordered,
    remaining,
    text,
    union,
    unpacked,
)

MAX_DEPTH = 60
_OPEN: Values = frozenset((Made("what is being worked out"),))  # told apart by identity
_VALUE = Via.VALUE
INSTANCES = f"{INTRINSICS}instances"
FIELD = "dataclasses.field"
OPAQUE = f"{INTRINSICS}opaque"


class Resolver(SpecialCalls):
    """Answers `infer` for expressions and `member` for attributes."""

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._sites: dict[str, bool] = {}
        self._handed_on: dict[str, tuple[Call, ...]] = {}
        self._selections = Selections(self)

    def source(self, source: Source[Term], frame: Frame) -> Values:
        """What a name gets from one of its sources."""
        if source.via is _VALUE and source.index < 0 and not (source.inner or source.starred):  # most are
            return self.infer(source.expr, frame)
        if source.via is Via.MATCHED:
            return NOTHING
        values = self.infer(source.expr, frame)
        if source.via is Via.ELEMENT:
            values = self.iterated(values)
        if source.via is Via.ENTER:
            values = self._entered(values)
        if source.via is Via.CAUGHT:
            classes = values | self.iterated(values)
            return frozenset(Instance(v.cls) for v in classes if isinstance(v, ClassRef))
        if source.via is Via.INTO:
            return frozenset((Items(flat(values)),)) if values else NOTHING
        for index in (source.index, *source.inner)[: -1 if source.starred else None]:
            values = self._part(values, index) if index >= 0 else values
        return remaining(values, (source.index, *source.inner)[-1]) if source.starred else values

    def _part(self, values: Values, index: int) -> Values:
        """What unpacking position `index` of the values gives."""
        found: set[Value] = set(unpacked(values, index))
        for value in ordered(values):
            if isinstance(value, Items):
                found |= self.added(value)
            elif isinstance(value, Instance):
                found |= self.iterated(frozenset((value,)))
        return capped(found)

    def _entered(self, values: Values) -> Values:
        """What `with value as name` gives: generators stand for the context managers they make."""
        found: set[Value] = set()
        for value in ordered(values):
            enter = self.classes.find(value.cls, "__enter__") if isinstance(value, Instance) else None
            if isinstance(value, Instance) and enter:
                found |= self.returned(Frame(enter, value.cls))
            else:
                found |= self.iterated(frozenset((value,))) if isinstance(value, Items) else {value}
        return capped(found)

    def infer(self, expr: Term, frame: Frame) -> Values:
        """The values that `expr` may have in `frame`."""
        kind = expr.__class__
        if kind is Constant:  # nothing to keep
            return self._infer_constant(expr, frame)  # type: ignore[arg-type]
        known = self._memo.get(frame)
        if known is None:
            known = self._memo[frame] = {}
        if kind is Name and (found := known.get(expr.id)) is not None:  # type: ignore[attr-defined]
            return found
        term = id(expr)
        found = known.get(term)
        if found is not None and found is not _OPEN:
            return found
        handler = _EXPRESSIONS.get(kind)
        if handler is None:
            return NOTHING
        if found is _OPEN or self._depth > MAX_DEPTH:
            self._cut.add((frame, term))
            return self._before.get((frame, term), NOTHING)
        known[term] = _OPEN
        self._depth += 1
        found = None
        try:
            found = handler(self, expr, frame) or NOTHING  # one empty set serves all
        finally:
            self._depth -= 1
            if found is None:  # it crashed: nothing is being worked out any more
                del known[term]
        known[term] = found
        return found

    def _infer_name(self, expr: Name, frame: Frame) -> Values:
        """Names are asked for again and again; inside their own definition nothing is kept."""
        key = (frame, expr.id)
        if key in self._open:
            return self.name(expr.id, frame)
        self._open.add(key)
        found = self._memo[frame][expr.id] = self.name(expr.id, frame)
        self._open.discard(key)
        return found

    def _infer_constant(self, expr: Constant, frame: Frame) -> Values:
        return text(expr.value) if isinstance(expr.value, str) else NOTHING

    def _infer_attribute(self, expr: Attribute, frame: Frame) -> Values:
        values = self.infer(expr.value, frame)
        if len(values) == 1:
            (value,) = values
            return capped(self.member(value, expr.attr))
        return union([self.member(value, expr.attr) for value in ordered(values)])

    def _infer_either(self, expr: Either, frame: Frame) -> Values:
        return union([self.infer(value, frame) for value in expr.values])

    def _infer_same(self, expr: Same, frame: Frame) -> Values:
        return self.infer(expr.value, frame)

    def _infer_lambda(self, expr: Lambda, frame: Frame) -> Values:
        path = frame.function.partition("::")[0]
        return frozenset((self.undecorated(f"{path}::{expr.qualname}", False, frame),))

    def _infer_definition(self, expr: Definition, frame: Frame) -> Values:
        path = frame.function.partition("::")[0]
        return frozenset((self.undecorated(f"{path}::{expr.qualname}", expr.is_class, frame),))

    def _infer_decoration(self, expr: Decoration, frame: Frame) -> Values:
        """What decorators make of a definition; the definition itself where that is not known, and a class
        where they may give it back: that is what registries do."""
        inner = self.infer(expr.args[0], frame)
        found: set[Value] = set()
        for decorator in ordered(self.infer(expr.func, frame)):
            made = self.called(self.applied(decorator, expr, frame), expr, frame)
            found |= frozenset(v for v in made if isinstance(v, _CALLABLE)) or inner
        back = frozenset(v for v in inner & found if isinstance(v, ClassRef))
        return back or capped(found) or inner

    def applied(self, callee: Value, call: Call, frame: Frame) -> Value:
        """A decorator runs apart for each definition that it is applied to."""
        if isinstance(call, Decoration) and isinstance(callee, (FunctionRef, Bound)):
            return replace(callee, site=f"{frame.function.partition('::')[0]}::{call.applied}")
        return callee

    def _infer_call(self, expr: Call, frame: Frame) -> Values:
        special = self.special(expr, frame)
        if special is not None:
            return special
        callees = self.infer(expr.func, frame)
        if len(callees) == 1:
            (callee,) = callees
            return capped(self.called(callee, expr, frame))
        return union([self.called(callee, expr, frame) for callee in ordered(few_classes(callees))])

    def called(self, callee: Value, expr: Call, frame: Frame) -> Values:
        """What calling `callee` with the arguments of `expr` returns."""
        if isinstance(callee, External):
            return self._external_result(callee.name, expr, frame)
        if is_stub(getattr(callee, "function", "") or getattr(callee, "cls", "")):
            return self._stub_called(callee, expr, frame)
        if isinstance(callee, FunctionRef):
            frames = self.unbound(callee, expr, frame) or [callee.frame]
            chosen = [self._selections.frame(f, callee.given, expr, frame) for f in frames]
            return union([self.returned(f) for f in chosen])
        if isinstance(callee, Bound):
            return self.returned(self._selections.frame(callee.frame, 1 + callee.given, expr, frame))
        if isinstance(callee, Instance):
            method = self.call_method(callee.cls)
            return self.called(Bound(method, callee.cls), expr, frame) if method else NOTHING
        return self.result(callee, [], frame)

    def result(self, callee: Value, arguments: list[Values], frame: Frame) -> Values:
        """What calling `callee` returns, where the arguments make no difference."""
        if isinstance(callee, (FunctionRef, Bound)):
            return self.returned(callee.frame)
        if isinstance(callee, ClassRef):
            return frozenset((Instance(callee.cls),))
        if isinstance(callee, Instance):
            method = self.call_method(callee.cls)
            return self.returned(Frame(method, callee.cls)) if method else NOTHING
        return NOTHING

    def _stub_called(self, callee: Value, expr: Call, frame: Frame) -> Values:
        """What a framework model gives one caller, who has a frame of his own in it."""
        if isinstance(callee, ClassRef):
            made = allocated(callee.cls, expr, frame)
            init = self.classes.find(made, "__init__")
            if init and is_stub(init):
                self.enter(init, made, expr, frame)
            return frozenset((Instance(made),))
        if isinstance(callee, Instance):
            method = self.call_method(callee.cls)
            return self.called(Bound(method, callee.cls), expr, frame) if method else NOTHING
        assert isinstance(callee, (FunctionRef, Bound))
        built = self.from_configuration(library_name(self.index.modules, callee), expr, frame)
        if built:
            return built
        found = self.returned(self.enter(callee.function, getattr(callee, "receiver", ""), expr, frame))
        opaque = {v for v in found if isinstance(v, Made) and v.by == OPAQUE}
        if opaque or not (found or self.handed_on(callee.function)):
            found = (found - opaque) | {Made(library_name(self.index.modules, callee))}
        return found

    def enter(self, function: str, receiver: str, call: Call, frame: Frame) -> Frame:
        """The frame that a call enters; its parameters get what the call passes."""
        facts = self.index.function(function)
        skip = 1 if receiver and not (facts.is_module or is_static(facts)) else 0
        site = site_of(call, frame) if self._per_site(function, skip) else ""
        to = Frame(function, receiver, site)
        if not facts.is_module:
            for name, values in bound(
                call, facts.parameters, skip, lambda e: self.infer(e, frame), self.spread
            ):
                if values:
                    self.grow(self.params, (to, name), values)
        return to

    def _per_site(self, function: str, skip: int) -> bool:
        """Does what a stub function gives back depend on what it was given? What only hands on does not."""
        if function not in self._sites:
            facts = self.index.function(function)
            many = len(facts.parameters.names) > skip
            gives = is_stub(function) and many and bool(self.body(function).returns)
            self._sites[function] = gives and not self.handed_on(function)
        return self._sites[function]

    def handed_on(self, function: str) -> tuple[Call, ...]:
        """The calls to which a stub function hands on all its arguments."""
        if function not in self._handed_on:
            facts = self.index.function(function)
            calls = (c for c in facts.body.calls if handed_on(facts.parameters, c))
            self._handed_on[function] = tuple(calls)
        return self._handed_on[function]

    def _instances(self, expr: Call, frame: Frame) -> Values:
        """`instances(classes)`: an object of every class that a class or a tuple of classes names."""
        found: set[Value] = set()
        for value in self.infer(expr.args[0], frame):
            parts = value.ordered if isinstance(value, Items) else (frozenset((value,)),)
            made = tuple(frozenset(unmade(v.cls) for v in p if isinstance(v, ClassRef)) for p in parts)
            found.add(Items(frozenset(v for p in made for v in p), made))
        return capped(found)

    def unbound(self, callee: FunctionRef, expr: Call, frame: Frame) -> list[Frame]:
        """`Class.method(object, ...)` and `method(*args)`: the method's frames by the object's class."""
        facts = self.index.function(callee.function)
        if not facts.owner or callee.receiver or not expr.args or is_static(facts):
            return []
        first = expr.args[0]
        values = self.infer(first.value if isinstance(first, Starred) else first, frame)
        values = unpacked(values, 0) if isinstance(first, Starred) else values
        owner = ClassRef(f"{facts.path}::{facts.owner}")
        classes = [v.cls for v in ordered(values) if isinstance(v, Instance)]
        return [Frame(callee.function, c, callee.site) for c in classes if owner in self.classes.mro(c)]

    def _external_result(self, name: str, expr: Call, frame: Frame) -> Values:
        if name == INSTANCES and expr.args:
            return self._instances(expr, frame)
        if name == FIELD:
            return self._defaulted(expr, frame) or made(name)
        built = self.from_configuration(name, expr, frame) or self.built(name, expr, frame)
        if built is not None:
            return built
        places = _WRAPPERS.get((name.partition(".")[0], name.rpartition(".")[2]))
        wrapped = _argument(expr, places) if places else None
        if wrapped is not None:
            return self.infer(wrapped, frame) or made(name)
        return made(name)

    def _defaulted(self, expr: Call, frame: Frame) -> Values:
        """What a field of a dataclass holds that nobody gives: `field(default_factory=Inner)`."""
        given = {k.arg: k.value for k in expr.keywords}
        if (factory := given.get("default_factory")) is not None:
            return union([self.result(callee, [], frame) for callee in ordered(self.infer(factory, frame))])
        return self.infer(given["default"], frame) if "default" in given else NOTHING

    def call_method(self, cls: str) -> str | None:
        """What `obj(...)` runs: `__call__`, else `forward` (torch modules)."""
        found = self.classes.find(cls, "__call__")
        return found or (self.classes.find(cls, "forward") if self.classes.external_bases(cls) else None)

    def returned(self, frame: Frame) -> Values:
        """The union of what a function returns."""
        facts = self.index.function(frame.function)
        body = self.body(frame.function)
        if body.yields:
            given = (self.source(y, frame) for y in body.yields)
            return frozenset((Items(flat(capped(v for values in given for v in values))),))
        if frame.site and not is_stub(frame.function):
            found = self._selections.returned(frame)
        else:
            found = union([self.infer(expr, frame) for expr in body.returns])
        if not found and (said := facts.returns) is not None:
            return self.annotation(said, frame)
        return found


def _infer_factory_call(self: Resolver, expr: Call, frame: Frame) -> Values:
    """Calls, with `Class.from_pretrained(...)` giving an object of the class."""
    if isinstance(expr.func, Attribute) and expr.func.attr in FACTORY_METHODS:
        owners = self.infer(expr.func.value, frame)
        made = frozenset(Instance(cls) for v in owners for cls in self.builds(v, expr.func.attr))
        if made:
            opaque = any(isinstance(v, ClassRef) and is_stub(v.cls) for v in owners)
            return made | self._infer_call(expr, frame) if opaque else made
    return self._infer_call(expr, frame)


_EXPRESSIONS: dict[type, Callable[[Resolver, Any, Frame], Values]] = {
    Name: Resolver._infer_name,
    Attribute: Resolver._infer_attribute,
    Either: Resolver._infer_either,
    Same: Resolver._infer_same,
    List: Resolver.infer_items,
    Tuple: Resolver.infer_items,
    Set: Resolver.infer_items,
    Sum: Resolver.infer_sum,
    Comprehension: Resolver.infer_comprehension,
    DictComprehension: Resolver.infer_dict_comprehension,
    Dict: Resolver.infer_dict,
    Lambda: Resolver._infer_lambda,
    Definition: Resolver._infer_definition,
    Decoration: Resolver._infer_decoration,
    Subscript: Resolver.infer_subscript,
    Call: _infer_factory_call,
}


_CALLABLE = (FunctionRef, Bound, ClassRef, Instance)


# Wrappers by (top-level package, last name): libraries export them under several paths.
_WRAPPERS = {(n.partition(".")[0], n.rpartition(".")[2]): places for n, places in WRAPPERS.items()}


def _argument(expr: Call, places: tuple[int | str, ...]) -> Term | None:
    for place in places:
        if isinstance(place, int) and place < len(expr.args):
            return expr.args[place]
        for keyword in expr.keywords:
            if keyword.arg == place:
                return keyword.value
    return None


__all__ = ["Frame", "Resolver"]
