"""The vocabulary as JSON and back: what a cache keeps of a report.

No pickle: a cache file is data that somebody else may have planted, and unpickling runs code. JSON holds
plain values alone, and every one is checked against the declared type of its field. A dataclass becomes
the list of its fields in order: whoever stores it must key it by the version of these classes.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Plain = Any
Coder = Callable[[Any], Any]
SCALARS = (str, int, float, bool, type(None))


class Undecodable(ValueError):
    """Text that does not hold a value of the wanted type."""


def encode(value: object) -> bytes:
    """A dataclass of the vocabulary as ASCII JSON.

    Raises:
        ValueError: when it holds what JSON cannot carry (an integer of more than 4,300 digits).
    """
    kind: Any = type(value)
    return json.dumps(_plain(kind)(value), separators=(",", ":")).encode("ascii")


def decode(cls: type[T], data: bytes) -> T:
    """What `encode` was given.

    Raises:
        Undecodable: when the data is anything else.
    """
    kind: Any = cls
    try:
        value = _value(kind)(json.loads(data))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Undecodable(f"no {cls.__name__}: {type(error).__name__}") from None
    assert isinstance(value, cls)
    return value


@cache
def _plain(kind: Any) -> Coder:
    """The function that makes JSON of a value of this type."""
    origin, of = get_origin(kind), get_args(kind)
    if kind in SCALARS:
        return _same
    if origin is tuple:
        return _plain_tuple(of)
    if origin is dict:
        item = _plain(of[1])
        return lambda value: {key: item(one) for key, one in value.items()}
    if origin in (Union, types.UnionType):
        return _plain_union(of)
    if issubclass(kind, Enum):
        return lambda value: value.value
    return _plain_dataclass(kind)


def _same(value: Any) -> Any:
    return value


def _plain_tuple(of: tuple[Any, ...]) -> Coder:
    if of[1:] == (Ellipsis,):
        item = _plain(of[0])
        return lambda value: [item(one) for one in value]
    items = [_plain(kind) for kind in of]
    return lambda value: [item(one) for item, one in zip(items, value, strict=True)]


def _plain_union(of: tuple[Any, ...]) -> Coder:
    """Scalars as they are; anything else in an object that names its type."""
    named = {kind: _plain(kind) for kind in of if kind not in SCALARS}

    def plain(value: Any) -> Plain:
        kind = type(value)
        return {kind.__name__: named[kind](value)} if kind in named else value

    return plain


def _plain_dataclass(kind: Any) -> Coder:
    parts = [(name, _plain(of)) for name, of in _fields(kind)]
    return lambda value: [part(getattr(value, name)) for name, part in parts]


def _fields(kind: Any) -> list[tuple[str, Any]]:
    if not is_dataclass(kind):
        raise TypeError(f"no part of the vocabulary: {kind}")
    hints = get_type_hints(kind)
    return [(field.name, hints[field.name]) for field in fields(kind)]


@cache
def _value(kind: Any) -> Coder:
    """The function that makes a value of this type of JSON; raises ValueError, TypeError or KeyError."""
    origin, of = get_origin(kind), get_args(kind)
    if kind in SCALARS:
        return lambda plain: _checked(plain, kind)
    if origin is tuple:
        return _value_tuple(of)
    if origin is dict:
        item = _value(of[1])
        return lambda plain: {key: item(one) for key, one in _checked(plain, dict).items()}
    if origin in (Union, types.UnionType):
        return _value_union(of)
    if issubclass(kind, Enum):
        return _value_enum(kind)
    return _value_dataclass(kind)


def _checked(plain: Plain, kind: type) -> Any:
    """`plain`, when it is exactly of this type: 1 is no True, and 1.0 is no 1."""
    if type(plain) is not kind:
        raise TypeError(f"{type(plain).__name__} is no {kind.__name__}")
    return plain


def _value_tuple(of: tuple[Any, ...]) -> Coder:
    if of[1:] == (Ellipsis,):
        item = _value(of[0])
        return lambda plain: tuple([item(one) for one in _checked(plain, list)])
    items = [_value(kind) for kind in of]
    return lambda plain: tuple([item(one) for item, one in zip(items, _checked(plain, list), strict=True)])


def _value_union(of: tuple[Any, ...]) -> Coder:
    scalars = tuple(kind for kind in of if kind in SCALARS)
    named = {kind.__name__: _value(kind) for kind in of if kind not in SCALARS}

    def value(plain: Plain) -> Any:
        if type(plain) in scalars:
            return plain
        [(name, inner)] = _checked(plain, dict).items()
        return named[name](inner)

    return value


def _value_enum(kind: type[Enum]) -> Coder:
    members = {member.value: member for member in kind}
    return lambda plain: members[_checked(plain, str)]


def _value_dataclass(kind: Any) -> Coder:
    parts = [_value(of) for _, of in _fields(kind)]
    return lambda plain: kind(*[part(one) for part, one in zip(parts, _checked(plain, list), strict=True)])
