"""Dataclasses that start quickly; most of them nobody changes after they are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, TypeVar

from mmcodemod.model.quick import quick

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[T], T]:
        return lambda function: function


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(*, order: bool = False, slots: bool = False) -> Callable[[type[T]], type[T]]:
    """A dataclass that compares and hashes by its fields. mypy holds that none is set again; at run time
    nothing does, as `dataclass(frozen=True)` would: that makes each object three times as slow to make."""
    return lambda cls: quick(cls, order=order, slots=slots)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def held(*, order: bool = False, slots: bool = False) -> Callable[[type[T]], type[T]]:
    """The same, but at run time, too, no field can be set again (`FrozenInstanceError`): for what rules and
    callers are handed."""
    return lambda cls: quick(cls, order=order, slots=slots, hold=True)


@dataclass_transform(field_specifiers=(field,))
def mutable(*, eq: bool = True, slots: bool = False) -> Callable[[type[T]], type[T]]:
    """A dataclass whose fields may be set again; without `eq` each object is equal to itself only."""
    return lambda cls: quick(cls, slots=slots, compares=eq, hashes=False)
