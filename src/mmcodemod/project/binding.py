"""How the arguments of a call reach the parameters of what it calls. May-analysis."""

from __future__ import annotations

from collections.abc import Iterable

from mmcodemod.facts.terms import Call, Name, Term
from mmcodemod.project.bound_arguments import (
    Infer,
    Passed,
    Spread,
    bound,
    keywords,
    named,
    placed,
    positional,
)
from mmcodemod.project.frame import Frame
from mmcodemod.project.infer import Resolver
from mmcodemod.project.narrowing import Narrowing
from mmcodemod.project.values import (
    Bound,
    ClassRef,
    External,
    FunctionRef,
    Instance,
    Made,
    Value,
    Values,
    ordered,
)

# Builtins that call a function with the elements of what else they are given.
PASSES_ELEMENTS = frozenset(f"<builtin>.{n}" for n in ("map", "filter", "sorted", "min", "max"))


class Binder:
    """Passes values on, into the tables of the resolver."""

    def __init__(self, resolver: Resolver, narrowing: Narrowing) -> None:
        self.resolver = resolver
        self._narrowing = narrowing

    def grow(self, table: dict, key: object, values: Values) -> None:  # type: ignore[type-arg]
        """Add values to what a table holds under a key."""
        self.resolver.grow(table, key, values)

    def give(self, to: Frame, name: str, values: Values) -> None:
        """Pass values to one parameter."""
        if not values:
            self.resolver.open(to, name)
            return
        self.resolver.grow(self.resolver.params, (to, name), values)
        for value in values:
            if isinstance(value, (Made, External)):
                self.resolver.open(to, name)
                return

    def open(self, to: Frame) -> None:
        """Code that we do not see calls the frame."""
        self.resolver.open(to)

    def bind(self, call: Call, frame: Frame, to: Frame, skip: int) -> None:
        """Pass the arguments of a call; the first `skip` parameters are bound already."""
        facts = self.resolver.index.function(to.function)
        if not facts.is_module:
            self._give_all(to, bound(call, facts.parameters, skip, *self._reading(call, frame)))

    def _give_all(self, to: Frame, passed: Iterable[Passed]) -> None:
        for name, values in passed:
            self.give(to, name, values)

    def _reading(self, call: Call, frame: Frame) -> tuple[Infer, Spread]:
        """How the values of a call's arguments and of dicts that are spread are found."""
        return lambda expr: self._passed(expr, call, frame), self.resolver.spread

    def bind_method(self, call: Call, frame: Frame, to: Bound) -> int:
        """Pass the arguments of a call of a method. A function that no class defines gets the object, too.
        Returns how many parameters are bound before the first argument."""
        facts = self.resolver.index.function(to.function)
        if facts.owner or to.given or facts.is_module:
            self.bind(call, frame, to.frame, 1 + to.given)
            return 1 + to.given
        given = frozenset((Instance(to.receiver),))
        self._give_all(to.frame, placed(facts.parameters, 0, [given, *self.positional(call, frame)]))
        self._give_all(to.frame, named(facts.parameters, self.keywords(call, frame)))
        return 1

    def bind_partial(self, call: Call, frame: Frame) -> None:
        """`partial(function, ...)` passes what it is given when the function is called."""
        for value in ordered(self.resolver.infer(call.args[0], frame)) if call.args else ():
            to, skip = self._target(value)
            facts = self.resolver.index.function(to.function) if to else None
            if to is not None and facts is not None and not facts.is_module:
                self.resolver.partial.add(facts.id)
                passed = self.positional(call, frame)[1:]
                self._give_all(to, placed(facts.parameters, skip, passed))
                self._give_all(to, named(facts.parameters, self.keywords(call, frame)))

    def _target(self, value: Value) -> tuple[Frame | None, int]:
        if isinstance(value, (FunctionRef, Bound)):
            return value.frame, value.given + isinstance(value, Bound)
        init = self.resolver.classes.find(value.cls, "__init__") if isinstance(value, ClassRef) else None
        return (Frame(init, value.cls), 1) if init and isinstance(value, ClassRef) else (None, 0)

    def bind_callback(self, call: Call, frame: Frame, value: FunctionRef | Bound) -> None:
        """Builtins pass the elements of their other arguments to the function that they are given."""
        self.open(value.frame)
        facts = self.resolver.index.function(value.function)
        names = [v.name for v in ordered(self.resolver.infer(call.func, frame)) if isinstance(v, External)]
        if facts.is_module or not names or names[0] not in PASSES_ELEMENTS:
            return
        start = 1 if names[0] in ("<builtin>.map", "<builtin>.filter") else 0
        passed = [self.elements(call, frame, i) for i in range(start, len(call.args))]
        skip = value.given + isinstance(value, Bound)
        self._give_all(value.frame, placed(facts.parameters, skip, passed))

    def _passed(self, expr: Term, call: Call, frame: Frame) -> Values:
        """The values of an argument that the tests around the call allow."""
        values = self.resolver.infer(expr, frame)
        if not isinstance(expr, Name) or call.owner is None:
            return values
        guards = self.resolver.body(frame.function).behind.get(id(call), ())
        return self._narrowing.kept(values, tuple(g for g in guards if g[0] == expr.id))

    def positional(self, call: Call, frame: Frame) -> list[Values]:
        """The values of the positional arguments, spread lists included."""
        return list(positional(call, self._reading(call, frame)[0]))

    def keywords(self, call: Call, frame: Frame) -> list[Passed]:
        """The values of the keyword arguments, spread dicts included."""
        return list(keywords(call, *self._reading(call, frame)))

    def elements(self, call: Call, frame: Frame, index: int) -> Values:
        """What iterating over a positional argument gives."""
        if index >= len(call.args):
            return frozenset()
        return self.resolver.iterated(self.resolver.infer(call.args[index], frame))
