"""Calls with a meaning of their own: `super()`, `getattr`, methods of dictionaries and texts, and those that
return their receiver. May-analysis."""

from __future__ import annotations

from collections.abc import Callable

from mmcodemod.facts.terms import Attribute, Call, Name
from mmcodemod.knowledge.wrappers import PASS_THROUGH, SELF_METHODS, UNWRAPPERS
from mmcodemod.project.displays import Displays
from mmcodemod.project.frame import Frame
from mmcodemod.project.text_parts import DIVIDING, divided
from mmcodemod.project.values import (
    NOTHING,
    Bound,
    ClassRef,
    Instance,
    Items,
    Made,
    ModuleRef,
    Super,
    Text,
    Value,
    Values,
    capped,
    ordered,
)


class SpecialCalls(Displays):
    """What such calls return; None where a call is an ordinary one."""

    def special(self, expr: Call, frame: Frame) -> Values | None:
        """Builtins with a meaning of their own, and methods that return their receiver."""
        func = expr.func
        if isinstance(func, Name):
            if func.id == "super":
                return self._super(expr, frame)
            if func.id == "getattr" and len(expr.args) >= 2:
                return self._getattr(expr, frame)
        elif isinstance(func, Attribute):
            return self._method_special(func, expr, frame)
        return None

    def _method_special(self, func: Attribute, expr: Call, frame: Frame) -> Values | None:
        if func.attr in UNWRAPPERS and expr.args:
            return self.infer(expr.args[0], frame)
        if func.attr in PASS_THROUGH and expr.args and not self._defines(func, frame):
            parts = tuple(self.infer(a, frame) for a in expr.args)
            whole = Items(capped(v for p in parts for v in p), parts)
            return parts[0] if len(parts) == 1 else frozenset((whole,))
        if func.attr in _METHODS:
            found = _METHODS[func.attr](self, func, expr, frame)
            if found is not None:
                return found
        if func.attr in SELF_METHODS:
            receivers = self.infer(func.value, frame)
            kept = {v for v in receivers if self._keeps(v, func.attr)}
            if kept:
                return frozenset(kept)
        return None

    def _get(self, func: Attribute, expr: Call, frame: Frame) -> Values | None:
        """`function.__get__(object)`."""
        if not expr.args:
            return None
        return self.bound_to(self.infer(func.value, frame), self.infer(expr.args[0], frame))

    def _divided(self, func: Attribute, expr: Call, frame: Frame) -> Values | None:
        """The parts of strings that are known."""
        return divided(func.attr, expr, self.infer(func.value, frame))

    def _defines(self, func: Attribute, frame: Frame) -> bool:
        return any(isinstance(v, Bound) for v in self.infer(func, frame))

    def _keeps(self, value: Value, name: str) -> bool:
        """Is it an object on which the library's own method returns the object itself?"""
        if isinstance(value, Instance):
            return self.classes.find(value.cls, name) is None
        return isinstance(value, Made)

    def _super(self, expr: Call, frame: Frame) -> Values:
        definer = self._defining_class(frame)
        if len(expr.args) == 2:
            named = [v.cls for v in ordered(self.infer(expr.args[0], frame)) if isinstance(v, ClassRef)]
            definer = named[0] if named else ""
        return frozenset((Super(frame.receiver, definer),)) if frame.receiver and definer else NOTHING

    def _defining_class(self, frame: Frame) -> str:
        facts = self.index.function(frame.function)
        while facts.owner is None and facts.parent not in (None, "<module>"):
            facts = self.index.function(f"{facts.path}::{facts.parent}")
        return f"{facts.path}::{facts.owner}" if facts.owner else ""

    def _getattr(self, expr: Call, frame: Frame) -> Values:
        found: set[Value] = set()
        keys = [key.value for key in ordered(self.infer(expr.args[1], frame)) if isinstance(key, Text)]
        for base in ordered(self.infer(expr.args[0], frame)):
            for key in keys:
                found |= self.member(base, key)
            if not keys and isinstance(base, ModuleRef):
                found |= self.any_class(base)
        found |= self.infer(expr.args[2], frame) if len(expr.args) > 2 else NOTHING
        return capped(found)


_Handler = Callable[[SpecialCalls, Attribute, Call, Frame], "Values | None"]
_METHODS: dict[str, _Handler] = {
    **dict.fromkeys(("get", "pop", "setdefault"), SpecialCalls.dict_get),
    "values": SpecialCalls.dict_values,
    "items": SpecialCalls.dict_items,
    "keys": SpecialCalls.dict_keys,
    "copy": SpecialCalls.dict_copy,
    "__get__": SpecialCalls._get,
    **dict.fromkeys(DIVIDING, SpecialCalls._divided),
}
