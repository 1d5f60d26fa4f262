"""Abstract values that the project model tracks. May-analysis: a set of values over-approximates."""

from __future__ import annotations

from collections.abc import Iterable
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
MAX_VALUES = 48  # larger sets stop growing; what is cut counts as not known


def ordered(values: Values) -> list[Value]:
    """The values in an order that depends on nothing but the values."""
    return sorted(values, key=_key) if len(values) > 1 else list(values)


def _key(value: Value) -> tuple[str, str]:
    kind = value.__class__.__name__
    if isinstance(value, (External, Made)):
        return kind, value.name if isinstance(value, External) else value.by
    if isinstance(value, (ClassRef, Instance)):
        return kind, value.cls
    if isinstance(value, (FunctionRef, Bound)):
        return kind, value.function + getattr(value, "receiver", "")
    return kind, value.value if isinstance(value, Text) else repr(value)


def elements(values: Values) -> Values:
    """What iterating over the values gives."""
    return capped(e for v in values if isinstance(v, Items) for e in v.elements)


def flat(values: Values) -> Values:
    """The values without displays of displays, which could nest without end."""
    return frozenset(v for v in values if not isinstance(v, Items) or not _nests(v))


def flattened(values: Values) -> list[Value]:
    """The values with those of displays in place of the displays, in a fixed order."""
    inner = [e for v in values for e in (v.elements if isinstance(v, Items) else (v,))]
    return ordered(frozenset(inner))


def _nests(value: Items) -> bool:
    return any(isinstance(v, Items) for v in value.elements)


def unpacked(values: Values, index: int) -> Values:
    """What unpacking position `index` of the values gives."""
    found: set[Value] = set()
    for value in values:
        if isinstance(value, Items):
            inside = -len(value.ordered) <= index < len(value.ordered)
            found |= value.ordered[index] if inside else value.elements
    return capped(found)


def looked_up(mapping: Mapping, key: object) -> Values:
    """The values under a constant key; all of them for an unknown key (None)."""
    if isinstance(key, str):
        return frozenset(v for k, values in mapping.items if k == key for v in values)
    return frozenset(v for _, values in mapping.items for v in values) if key is None else NOTHING


def capped(values: Iterable[Value]) -> Values:
    """The values, cut to MAX_VALUES in a fixed order."""
    found = values if isinstance(values, frozenset) else frozenset(values)
    return found if len(found) <= MAX_VALUES else frozenset(ordered(found)[:MAX_VALUES])
