"""What `value.name` may be, through class orders, stores, fields and libraries. May-analysis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mmcodemod.facts.body import Source
from mmcodemod.facts.python import ClassFacts
from mmcodemod.facts.terms import Attribute, Call, Name, Term, last_name
from mmcodemod.knowledge.wrappers import FACTORY_METHODS, WRAPPED
from mmcodemod.project.frame import Frame
from mmcodemod.project.library import library_name
from mmcodemod.project.scopes import Scopes
from mmcodemod.project.signatures import is_classmethod, is_property, is_static
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import (
    NOTHING,
    Bound,
    ClassRef,
    External,
    FunctionRef,
    Instance,
    Made,
    ModuleRef,
    Super,
    Text,
    Value,
    Values,
    capped,
    external,
    flattened,
    union,
)

MAX_CHAIN = 3  # calls on the results of library calls that are followed


class Members(Scopes):
    """Members of objects, classes, modules and library values."""

    def returned(self, frame: Frame) -> Values:
        """The union of what a function returns."""
        raise NotImplementedError

    def member(self, value: Value, name: str) -> Values:
        """What `value.name` may be."""
        known = _MEMBERS.get(value.__class__)
        return known(self, value, name) if known is not None else NOTHING

    def _external_member(self, owner: str, name: str) -> Values:
        key = (owner, name)
        if key not in self._externals:
            if owner.count(".") > 4 * MAX_CHAIN:
                self._externals[key] = NOTHING
            else:
                self._externals[key] = self._library(f"{owner}.{name}", "")
        return self._externals[key]

    def _module_member(self, value: ModuleRef, name: str) -> Values:
        if value.path:
            found = self.module_name(value.path, name)
            if found:
                return found
        dotted = f"{value.name}.{name}"
        if self.index.modules.is_folder(dotted) or self.index.modules.find(dotted, value.path):
            return frozenset((self._module(dotted, value.path),))
        return NOTHING

    def _super_member(self, value: Super, name: str) -> Values:
        order = self.classes.after(value.receiver, value.after)
        method = self.classes.find(value.receiver, name, order)
        if method:
            return self._bound_method(method, value.receiver)
        bases = [found for b in order if (found := library_name(self.index.modules, b))]
        return external(f"{bases[0]}.{name}") if bases else NOTHING

    def _class_member(self, cls: str, name: str) -> Values:
        if name in ("__name__", "__qualname__"):
            return frozenset((Text(cls.rpartition("::")[2].rpartition(".")[2]),))
        patched = self._patched(cls, name)
        method = self.classes.find(cls, name) if (cls, name) not in self.replaced else None
        if method:
            return patched | self._unbound_method(method, cls)
        found = patched | self._class_attribute(cls, name)
        return found or self._nested(cls, name) or self._from_external_base(cls, name)

    def _nested(self, cls: str, name: str) -> Values:
        """A class inside the class."""
        for facts in self.classes.own(cls):
            nested = self.index.files[facts.path].classes.get(f"{facts.qualname}.{name}")
            if nested is not None:
                return self.defined(nested, Frame(f"{facts.path}::{facts.scope}"))
        return NOTHING

    def _patched(self, cls: str, name: str) -> Values:
        """What code outside puts on the class or a base of it."""
        if name not in self.patched_names:
            return NOTHING
        return capped(v for c in self.classes.own(cls) for v in self.patches.get((c.id, name), ()))

    def _decorated(self, method: str) -> Values:
        facts = self.index.function(method)
        return self.defined(facts, Frame(f"{facts.path}::{facts.parent}"))

    def _unbound_method(self, method: str, cls: str) -> Values:
        """A method read from its class."""
        if is_classmethod(self.index.function(method)):
            return frozenset((Bound(method, cls),))
        return self._decorated(method)

    def _bound_method(self, method: str, cls: str) -> Values:
        """A method read from an object; a property gives its value."""
        facts = self.index.function(method)
        if is_property(facts):
            return self.returned(Frame(method, cls))
        if is_static(facts):
            return self._decorated(method)
        return self._bind(self._decorated(method), cls)

    def _bind(self, values: Values, cls: str) -> Values:
        """Functions that are found on a class belong to the object that they are read from."""
        for value in values:
            if isinstance(value, FunctionRef):
                break
        else:
            return values
        return frozenset(
            Bound(v.function, cls, v.site, v.given) if isinstance(v, FunctionRef) else v for v in values
        )

    def _from_external_base(self, cls: str, name: str, made: str = "") -> Values:
        bases = self.classes.external_bases(cls)
        if not bases or any(name in self.stored(f) for f in self.classes.own(cls) if is_stub(f.path)):
            return NOTHING
        return external(f"{bases[0]}{made}.{name}")

    def _class_attribute(self, cls: str, name: str) -> Values:
        found: set[Value] = set()
        for facts in self.classes.own(cls):
            for expr in facts.attributes.get(name, ()):
                found |= self.infer(_unwrapped(expr), Frame(f"{facts.path}::{facts.scope}"))
        return capped(found)

    def _bound_attribute(self, cls: str, name: str) -> Values:
        """A class attribute read from an object."""
        found = self._class_attribute(cls, name)
        for facts in self.classes.own(cls) if found else ():
            for expr in facts.attributes.get(name, ()):
                if _unwrapped(expr) is not expr:
                    return found
        return self._bind(found, cls)

    def _instance_member(self, cls: str, name: str) -> Values:
        key = ("member", cls, name)
        if key in self._open:
            return NOTHING
        self._open.add(key)
        try:
            return self._find_member(cls, name)
        finally:
            self._open.discard(key)

    def _find_member(self, cls: str, name: str) -> Values:
        if name == "__class__":
            return frozenset((ClassRef(cls),))
        parts = [self.stores.get((cls, name), NOTHING)]
        parts += [self.source(s, Frame(function, cls)) for function, s in self.attribute_sources(cls, name)]
        parts.append(self._bind(self._patched(cls, name), cls))
        method = self.classes.find(cls, name) if (cls, name) not in self.replaced else None
        if method:
            return union([*parts, self._bound_method(method, cls)])
        default = self._bound_attribute(cls, name)
        parts.append((default | self._given(cls, name) if default else NOTHING) or self._nested(cls, name))
        found = union(parts) or self._field(cls, name)
        if not found and name in WRAPPED and self.classes.is_module(cls):
            return frozenset((Instance(cls),))
        return capped(found) or self._passed_on(cls, name) or self._unknown(cls, name)

    def _unknown(self, cls: str, name: str) -> Values:
        return self._from_external_base(cls, name, "()" if is_stub(cls) else "")

    def _passed_on(self, cls: str, name: str) -> Values:
        """What the `__getattr__` of a framework model's wrapper finds on the object that it wraps."""
        method = self.classes.find(cls, "__getattr__")
        if method is None or not is_stub(method) or name.startswith("__"):
            return NOTHING
        to = Frame(method, cls, name)
        self.params[(to, "name")] = frozenset((Text(name),))
        return self.returned(to)

    def accessed(self, value: Value, expr: Attribute) -> list[tuple[str, str]]:
        """The property that reading or setting `value.attr` runs, with the class of the object."""
        if isinstance(value, Super):
            order = self.classes.after(value.receiver, value.after)
            method, cls = self.classes.find(value.receiver, expr.attr, order), value.receiver
        elif isinstance(value, Instance):
            method, cls = self.classes.find(value.cls, expr.attr), value.cls
        else:
            return []
        if method is None or not is_property(self.index.function(method)):
            return []
        return self._setter(cls, expr.attr) if expr.stored else [(method, cls)]

    def _setter(self, cls: str, name: str) -> list[tuple[str, str]]:
        setters = (f"{c.path}::{c.setters[name]}" for c in self.classes.own(cls) if name in c.setters)
        return [(setter, cls) for setter in setters][:1]

    def is_patch(self, callee: FunctionRef | Bound, func: Attribute, frame: Frame) -> bool:
        """Was the function put where another one is defined?"""
        for base in self.infer(func.value, frame):
            if isinstance(base, ModuleRef):
                values = self.stores.get((base.path, func.attr), NOTHING)
            elif isinstance(base, (Instance, ClassRef)):
                values = self.stores.get((base.cls, func.attr), NOTHING) | self._patched(base.cls, func.attr)
            else:
                continue
            if any(getattr(v, "function", None) == callee.function for v in values):
                return True
        return False

    def _field(self, cls: str, name: str) -> Values:
        for facts in self.classes.own(cls):
            annotation = facts.annotation(name)
            if annotation is not None:
                said = self.annotation(annotation, Frame(f"{facts.path}::{facts.scope}"))
                return self._given(cls, name) | said
        return NOTHING

    def _given(self, cls: str, name: str) -> Values:
        """What constructions pass for a field."""
        own = self.classes.own(cls)
        return union([self.params.get((Frame(f"{f.id}.<fields>", cls), name), NOTHING) for f in own])

    def stored(self, facts: ClassFacts) -> dict[str, list[tuple[str, Source[Term]]]]:
        """`self.x = ...` in the methods of one class, by attribute."""
        if facts.id not in self._attr_stores:
            found: dict[str, list[tuple[str, Source[Term]]]] = {}
            for qualname in facts.methods.values():
                function = f"{facts.path}::{qualname}"
                first = self.index.function(function).parameters.first
                for store in self.body(function).stores:
                    if isinstance(store.base, Name) and store.base.id == first:
                        found.setdefault(store.attr, []).append((function, store.value))
            self._attr_stores[facts.id] = found
        return self._attr_stores[facts.id]

    def attribute_sources(self, cls: str, name: str) -> list[tuple[str, Source[Term]]]:
        """Where the methods of a class store an attribute: (function id, source)."""
        key = (cls, name)
        found = self._attribute_sources.get(key)
        if found is None:
            found = [s for facts in self.classes.own(cls) for s in self.stored(facts).get(name, ())]
            if self.classes.is_resolved(cls):
                self._attribute_sources[key] = found
        return found

    def builds(self, callee: Value, name: str) -> list[str]:
        """The classes that `callee.name(...)` builds through a library factory, if it is one: the class
        itself, or what was registered with a framework model's class."""
        if name not in FACTORY_METHODS or not isinstance(callee, ClassRef):
            return []
        if self.classes.find(callee.cls, name) is not None:
            return []
        if not is_stub(callee.cls):
            return [callee.cls]
        return [v.cls for v in flattened(self.member(callee, "registered")) if isinstance(v, ClassRef)]


def _made_member(value: Made, name: str) -> Values:
    return external(f"{value.by}().{name}") if value.by.count("()") < MAX_CHAIN else NOTHING


# By the class of the value: asked more often than anything else.
_MEMBERS: dict[type, Callable[[Members, Any, str], Values]] = {
    Instance: lambda members, value, name: members._instance_member(value.cls, name),
    Super: Members._super_member,
    ClassRef: lambda members, value, name: members._class_member(value.cls, name),
    ModuleRef: Members._module_member,
    External: lambda members, value, name: members._external_member(value.name, name),
    Made: lambda _, value, name: _made_member(value, name),
    Text: lambda _, value, name: external(f"<builtin>.str.{name}"),
}


def _unwrapped(expr: Term) -> Term:
    """`f` of `staticmethod(f)`; other expressions themselves."""
    wrapped = isinstance(expr, Call) and last_name(expr) == "staticmethod" and expr.args
    return expr.args[0] if wrapped and isinstance(expr, Call) else expr
