"""Which objects may be there behind a test of their class's constants. May-analysis: an object stays unless
all that its attribute may be is known and contradicts the test."""

from __future__ import annotations

from typing import Any

from mmcodemod.facts.terms import Constant
from mmcodemod.facts.tests import TESTS, Guard, Guards
from mmcodemod.project.infer import Resolver
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import ClassRef, Instance, Value, Values

_METHOD = object()  # stands for a function: it is there, it is true, it equals no constant


class Narrowing:
    """Memoised by class and attribute for one round of the call graph, in which stores may grow."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[tuple[str, str], tuple[Any, ...] | None] = {}

    def forget(self) -> None:
        """Start a new round."""
        self._known.clear()

    def kept(self, values: Values, guards: Guards) -> Values:
        """The values of a name that all tests of it allow."""
        if not guards:
            return values
        return frozenset(v for v in values if all(self._allows(v, guard) for guard in guards))

    def _allows(self, value: Value, guard: Guard) -> bool:
        _, attr, operator, constant, holds, default = guard
        known = self.constants(value, attr) if attr else None
        if known is None:
            return True
        if operator == "has":
            return bool(known) is holds
        return any(TESTS[operator](v, constant) is holds for v in known or default)

    def constants(self, value: Value, attr: str) -> tuple[Any, ...] | None:
        """All that an attribute of an object may be: () where there is none, None where that is not known."""
        if not isinstance(value, (Instance, ClassRef)) or is_stub(value.cls):
            return None
        return self._constants(value.cls, attr)

    def _constants(self, cls: str, attr: str) -> tuple[Any, ...] | None:
        key = (cls, attr)
        if key not in self._known:
            self._known[key] = None if self._is_stored(cls, attr) else self._defined(cls, attr)
        return self._known[key]

    def _is_stored(self, cls: str, attr: str) -> bool:
        """Does code put something there, on the objects or on the class, or answer for it?"""
        resolver = self._resolver
        if (cls, attr) in resolver.stores or attr in resolver.patched_names:
            return True
        if any(resolver.classes.find(cls, name) for name in ("__getattr__", "__getattribute__")):
            return True
        return any(attr in resolver.stored(facts) for facts in resolver.classes.own(cls))

    def _defined(self, cls: str, attr: str) -> tuple[Any, ...] | None:
        classes = self._resolver.classes
        for facts in classes.own(cls):
            if is_stub(facts.path):
                return None  # the library's own class has more than its model says
            if attr in facts.methods:
                return (
                    None if attr in facts.setters else self._of_method(f"{facts.path}::{facts.methods[attr]}")
                )
            found = facts.attributes.get(attr)
            if found:
                plain = [e.value for e in found if isinstance(e, Constant)]
                return tuple(plain) if len(plain) == len(found) else None
            if attr in facts.fields:
                return None
        changed = any(facts.decorators for facts in classes.own(cls))
        return None if changed or not _whole(classes.mro(cls)) else ()

    def _of_method(self, method: str) -> tuple[Any, ...] | None:
        return None if self._resolver.index.function(method).decorators else (_METHOD,)


def _whole(order: tuple[Value, ...]) -> bool:
    """Are all bases classes of the tree?"""
    return all(isinstance(base, ClassRef) for base in order)
