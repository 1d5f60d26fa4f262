"""Dataclasses that nobody changes after they are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[T], T]:
        return lambda function: function


_WRITTEN = {"__init__": "init", "__repr__": "repr", "__eq__": "eq", "__hash__": "unsafe_hash"}
"""The methods that dataclass writes, and how it is asked for each."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(*, order: bool = False, slots: bool = False) -> Callable[[type[T]], type[T]]:
    """A dataclass that compares and hashes by its fields. mypy holds that none is set again; at run time
    nothing does, as `dataclass(frozen=True)` would: that makes each object three times as slow to make. Its
    methods are written when they are first called: most never are, and to write those of all classes was a
    tenth of the check of a small tree."""
    return lambda cls: _made(cls, order, slots, hold=False)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def held(*, order: bool = False, slots: bool = False) -> Callable[[type[T]], type[T]]:
    """The same, but at run time, too, no field can be set again (`FrozenInstanceError`): for what rules and
    callers are handed."""
    return lambda cls: _made(cls, order, slots, hold=True)


def _made(cls: type[T], order: bool, slots: bool, hold: bool) -> type[T]:
    cls.__doc__ = cls.__doc__ or cls.__name__  # else dataclass puts a signature there, which takes long
    made = dataclass(init=False, repr=False, eq=order, order=order, slots=slots, frozen=hold)(cls)
    for name in _WRITTEN:
        if vars(made).get(name) is None:
            setattr(made, name, _late(made, name, hold))
    return made


def _late(cls: type, name: str, hold: bool) -> Callable[..., Any]:
    """A method that has its real self written, puts that in its own place, and calls it."""

    def late(*args: Any, **values: Any) -> Any:  # a field, too, may be called `self`
        setattr(cls, name, _written(cls, name, hold))
        return getattr(cls, name)(*args, **values)

    return late


def _written(cls: type, name: str, hold: bool) -> Any:
    """What dataclass writes for a class with these fields: for one that inherits them all."""
    heir = type(cls)(cls.__name__, (cls,), {"__doc__": cls.__doc__})
    asked = {key: of == name for of, key in _WRITTEN.items()}
    return vars(dataclass(frozen=hold, **asked)(heir))[name]
