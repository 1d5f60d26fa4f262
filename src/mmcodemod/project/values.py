"""Abstract values that the project model tracks. May-analysis: a set of values over-approximates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class External:
    """Something of a library, by its dotted name: `torch.cat`, `transformers.Trainer`."""

    name: str


@dataclass(frozen=True, slots=True)
class Made:
    """What a call of a library callable returns, e.g. Made("transformers.AutoModel.from_pretrained")."""

    by: str


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the tree, by path ("" for a namespace package; then `name` says which)."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A function of the tree, by id ("path::qualname")."""

    function: str


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of the tree, by id."""

    cls: str


@dataclass(frozen=True, slots=True)
class Instance:
    """Any object of a class of the tree."""

    cls: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A function with its receiver: `receiver` is the id of the object's class."""

    function: str
    receiver: str


@dataclass(frozen=True, slots=True)
class Text:
    """A string constant."""

    value: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list, tuple or set display: the union of its elements, and a tuple's elements by position."""

    elements: frozenset[Value]
    ordered: tuple[frozenset[Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Mapping:
    """A dict with constant keys."""

    items: tuple[tuple[str, frozenset[Value]], ...]


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` as seen by an object of class `receiver` in a method that `after` defines."""

    receiver: str
    after: str


Value = (
    External | Made | ModuleRef | FunctionRef | ClassRef | Instance | Bound | Text | Items | Mapping | Super
)
Values = frozenset[Value]
NOTHING: Values = frozenset()


def ordered(values: Values) -> list[Value]:
    """The values in an order that depends on nothing but the values."""
    return sorted(values, key=_key) if len(values) > 1 else list(values)


def _key(value: Value) -> tuple[str, str]:
    kind = value.__class__.__name__
    if isinstance(value, (External, Made)):
        return kind, value.name if isinstance(value, External) else value.by
    if isinstance(value, (ClassRef, Instance)):
        return kind, value.cls
    return kind, repr(value)
