"""What a function's signature and decorators say."""

from __future__ import annotations

from mmcodemod.facts.python import FunctionFacts

_PROPERTIES = frozenset(("property", "cached_property"))


def is_static(facts: FunctionFacts) -> bool:
    """Is it a static method?"""
    return "staticmethod" in facts.decorators


def bound_first(facts: FunctionFacts) -> int:
    """How many of its first parameters a method has from what it is called on: `self`, or the class."""
    return 1 if facts.owner and not is_static(facts) else 0


def is_classmethod(facts: FunctionFacts) -> bool:
    """Is it a class method?"""
    return "classmethod" in facts.decorators


def is_property(facts: FunctionFacts) -> bool:
    """Is it read like an attribute?"""
    return not _PROPERTIES.isdisjoint(facts.decorators)
