"""What `dataclasses.dataclass` makes of a class, in a fraction of its time: methods are written when they are
first called, since most never are. To let dataclass write those of all classes was a tenth of the check of a
small tree; to let it look at the classes was a tenth of that of an empty one.

`fields`, `replace`, `asdict` and classes that inherit work as with dataclass; `InitVar` and `kw_only` do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from inspect import get_annotations
from typing import Any, NoReturn, TypeVar

from mmcodemod.model.methods import written

T = TypeVar("T")
_FIELDS = "_quick_fields"
_OF_DATACLASS = ("__dataclass_fields__", "__dataclass_params__")
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")


def quick(
    cls: type[T],
    *,
    order: bool = False,
    slots: bool = False,
    hold: bool = False,
    compares: bool = True,
    hashes: bool = True,
) -> type[T]:
    """The class with the methods of a dataclass; with `slots` another class of the same name. With `hold` no
    field can be set again; with `compares` but without `hashes` it has no hash."""
    fields = _fields(cls)
    made = _slotted(cls, fields) if slots else _plain(cls, fields)
    names = ["__init__", "__repr__", *(["__eq__"] if compares else []), *(["__hash__"] if hashes else [])]
    add: dict[str, Any] = {"__hash__": None} if compares and not hashes else {}
    add |= {name: _late(made, name, fields, hold) for name in (*names, *(_ORDER if order else ()))}
    add |= _HELD if hold else {}
    for name in add:
        if vars(made).get(name) is None:  # what a class writes itself is kept
            setattr(made, name, add[name])
    setattr(made, _FIELDS, fields)
    add = {name: _Asked(made, fields, hold, name) for name in _OF_DATACLASS}
    add["__match_args__"] = tuple(name for name, of in fields.items() if of.init)
    for name in add:
        setattr(made, name, add[name])
    return made


def _fields(cls: type) -> dict[str, Field[Any]]:
    """All fields of a class, those of its bases first."""
    found: dict[str, Field[Any]] = {}
    for base in cls.__mro__[:0:-1]:
        own = vars(base)
        found.update(own[_FIELDS] if _FIELDS in own else own.get(_OF_DATACLASS[0], {}))
    for name, kind in get_annotations(cls).items():
        if not str(kind).startswith("ClassVar"):
            found[name] = _field(vars(cls).get(name, MISSING), kind)
    return found


def _field(given: Any, kind: object) -> Field[Any]:
    made: Field[Any] = given if isinstance(given, Field) else field(default=given)
    made.type = kind
    return made


def _plain(cls: type[T], fields: Mapping[str, Field[Any]]) -> type[T]:
    """The class itself, with defaults in the place of what `field` gave."""
    for name, of in fields.items():
        if vars(cls).get(name) is of and of.default is MISSING:
            delattr(cls, name)
        elif vars(cls).get(name) is of:
            setattr(cls, name, of.default)
    return cls


def _slotted(cls: type[T], fields: Mapping[str, Field[Any]]) -> type[T]:
    """A class of the same content, whose objects have slots."""
    of_bases = {slot for base in cls.__mro__[1:] for slot in vars(base).get("__slots__", ())}
    left_out = (*fields, "__dict__", "__weakref__")
    content = {name: value for name, value in vars(cls).items() if name not in left_out}
    content["__slots__"] = tuple(name for name in fields if name not in of_bases)
    made: type[T] = type(cls)(cls.__name__, cls.__bases__, content)  # type: ignore[misc]
    made.__qualname__ = cls.__qualname__
    return made


def _late(cls: type, name: str, fields: Mapping[str, Field[Any]], hold: bool) -> Callable[..., Any]:
    """A method that has its real self written, puts that in its own place, and calls it."""

    def late(*args: Any, **values: Any) -> Any:  # a field, too, may be called `self`
        setattr(cls, name, written(cls, name, fields, hold))
        return getattr(cls, name)(*args, **values)

    return late


class _Asked:
    """Stands for what dataclass puts into a class, and has it made when someone asks."""

    def __init__(self, cls: type, fields: Mapping[str, Field[Any]], hold: bool, name: str) -> None:
        self._cls, self._fields, self._hold, self._name = cls, fields, hold, name

    def __get__(self, instance: object, owner: type) -> Any:
        kinds = {name: of.type for name, of in self._fields.items()}
        told = {"__annotations__": kinds, "__doc__": "not to be filled with a signature, which takes long"}
        alike = type(self._cls.__name__, (), {**told, **self._fields})
        dataclass(init=False, repr=False, eq=False, frozen=self._hold)(alike)
        for name in _OF_DATACLASS:
            setattr(self._cls, name, vars(alike)[name])
        return vars(alike)[self._name]


def _set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: object) -> list[object]:
    return [getattr(self, name) for name in getattr(self, _FIELDS)]


def _restore(self: object, state: list[object]) -> None:
    for name, value in zip(getattr(self, _FIELDS), state):
        object.__setattr__(self, name, value)


_HELD = {"__setattr__": _set, "__delattr__": _delete, "__getstate__": _state, "__setstate__": _restore}
