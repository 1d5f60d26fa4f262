"""Abstract values that the project model tracks. May-analysis: a set of values over-approximates."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from mmcodemod.model.frozen import frozen
from mmcodemod.project.frame import Frame


@frozen(slots=True)
class External:
    """Something of a library, by its dotted name: `torch.cat`, `transformers.Trainer`."""

    name: str


@frozen(slots=True)
class Made:
    """What a call of a library callable returns, e.g. Made("transformers.AutoModel.from_pretrained")."""

    by: str


@frozen(slots=True)
class ModuleRef:
    """A module of the tree, by path ("" for a namespace package; then `name` says which)."""

    path: str
    name: str


@frozen(slots=True)
class FunctionRef:
    """A function of the tree, by id ("path::qualname"). `receiver` and `site` are those of the frame whose
    names it sees; `given` positional arguments are bound already (`functools.partial`)."""

    function: str
    receiver: str = ""
    site: str = ""
    given: int = 0

    @property
    def frame(self) -> Frame:
        """What calling it runs."""
        return Frame(self.function, self.receiver, self.site)


@frozen(slots=True)
class ClassRef:
    """A class of the tree, by id."""

    cls: str


@frozen(slots=True)
class Instance:
    """Any object of a class of the tree."""

    cls: str


@frozen(slots=True)
class Bound:
    """A function with its receiver: `receiver` is the id of the object's class."""

    function: str
    receiver: str
    site: str = ""
    given: int = 0

    @property
    def frame(self) -> Frame:
        """What calling it runs."""
        return Frame(self.function, self.receiver, self.site)


@frozen(slots=True)
class Text:
    """A string constant."""

    value: str


@frozen(slots=True)
class Items:
    """A list, tuple or set display: the union of its elements, and its elements by position. `site` names
    the place that makes it, under which later additions are kept; "" when there can be none."""

    elements: frozenset[Value]
    ordered: tuple[frozenset[Value], ...] = ()
    site: str = ""


@frozen(slots=True)
class Mapping:
    """A dict with constant keys; what stands under other keys has the key None. `site` as in Items."""

    items: tuple[tuple[Key, frozenset[Value]], ...]
    site: str = ""


@frozen(slots=True)
class Super:
    """`super()` as seen by an object of class `receiver` in a method that `after` defines."""

    receiver: str
    after: str


Value = (
    External | Made | ModuleRef | FunctionRef | ClassRef | Instance | Bound | Text | Items | Mapping | Super
)
Values = frozenset[Value]
Key = str | int | None
NOTHING: Values = frozenset()
MAX_NEST = 3
MAX_VALUES = 48  # larger sets stop growing; what is cut counts as not known
MAX_OWN = 128  # of functions, classes and objects of the tree, which are cut last


@lru_cache(65536)
def external(name: str) -> Values:
    """Something of a library alone: asked for again and again, so one set serves all."""
    return frozenset((External(name),))


@lru_cache(65536)
def made(by: str) -> Values:
    """What a library callable returns, likewise."""
    return frozenset((Made(by),))


@lru_cache(65536)
def text(value: str) -> Values:
    """A string constant, likewise."""
    return frozenset((Text(value),))


def ordered(values: Values) -> list[Value]:
    """The values in an order that depends on nothing but the values."""
    return sorted(values, key=_key) if len(values) > 1 else list(values)


def _key(value: Value) -> tuple[str, str]:
    kind = value.__class__.__name__
    if isinstance(value, (Items, Mapping)):
        return kind, _inside(value)
    if isinstance(value, (External, Made)):
        return kind, value.name if isinstance(value, External) else value.by
    if isinstance(value, (ClassRef, Instance)):
        return kind, value.cls
    if isinstance(value, (FunctionRef, Bound)):
        return kind, f"{value.function} {value.receiver} {value.site} {value.given}"
    return kind, value.value if isinstance(value, Text) else repr(value)


@lru_cache(maxsize=1 << 12)
def _inside(value: Items | Mapping) -> str:
    """The same few displays are put in order again and again."""
    if isinstance(value, Items):
        return value.site + repr(sorted(_key(v) for v in value.elements))
    return value.site + repr([(k, sorted(_key(v) for v in vs)) for k, vs in value.items])


def flat(values: Values) -> Values:
    """The values without displays of displays of displays, which could nest without end."""
    for value in values:
        if isinstance(value, (Items, Mapping)):
            break
    else:
        return values
    return frozenset(v for v in values if not isinstance(v, (Items, Mapping)) or _depth(v, 0) < MAX_NEST)


def flattened(values: Values) -> list[Value]:
    """The values with those of displays in place of the displays, in a fixed order."""
    inner = [e for v in values for e in (v.elements if isinstance(v, Items) else (v,))]
    return ordered(frozenset(inner))


def _depth(value: Value, above: int) -> int:
    if above > MAX_NEST or not isinstance(value, (Items, Mapping)):
        return above
    inside = value.elements if isinstance(value, Items) else [v for _, vs in value.items for v in vs]
    return max((_depth(v, above + 1) for v in inside), default=above + 1)


def unpacked(values: Values, index: int) -> Values:
    """What unpacking position `index` of the values gives."""
    found: set[Value] = set()
    for value in values:
        if isinstance(value, Items):
            inside = -len(value.ordered) <= index < len(value.ordered)
            found |= value.ordered[index] if inside else value.elements
    return capped(found)


def remaining(values: Values, index: int) -> Values:
    """What `*rest` at position `index` of an unpacking takes."""
    found: set[Value] = set()
    for value in values:
        if isinstance(value, Items):
            rest = value.ordered[index:]
            found.add(Items(frozenset(v for part in rest for v in part) if rest else value.elements, rest))
    return capped(found)


def looked_up(mapping: Mapping, key: Key) -> Values:
    """The values under a constant key; all of them for an unknown key (None)."""
    return frozenset(v for k, values in mapping.items if key is None or k is None or k == key for v in values)


def entries(given: Iterable[tuple[Key, Values]]) -> tuple[tuple[Key, Values], ...]:
    """Each key once, with all that stands under it: `d = {**d, ...}`, many times over, would double them."""
    found: dict[Key, Values] = {}
    for key, values in given:
        found[key] = found.get(key, NOTHING) | values
    return tuple((key, capped(found[key])) for key in sorted(found, key=repr))


def union(parts: list[Values]) -> Values:
    """All values of some sets, cut to MAX_VALUES; of a single set, that one."""
    if len(parts) > 1:
        parts = [part for part in parts if part]
    found = parts[0] if len(parts) == 1 else NOTHING.union(*parts)
    return found if len(found) <= MAX_VALUES else capped(found)


def few_classes(callees: Values) -> Values:
    """What a call may mean, without the classes where they are more than MAX_VALUES: what a registry makes is
    not known where it may be anything."""
    if len(callees) <= MAX_VALUES:
        return callees
    classes = frozenset(v for v in callees if isinstance(v, ClassRef))
    return callees - classes if len(classes) > MAX_VALUES else callees


def capped(values: Iterable[Value]) -> Values:
    """The values, cut to MAX_VALUES in a fixed order, what the tree defines first and up to MAX_OWN."""
    found = values if isinstance(values, frozenset) else frozenset(values)
    return found if len(found) <= MAX_VALUES else _cut(found)


@lru_cache(maxsize=1 << 12)
def _cut(found: Values) -> Values:
    """The same large sets come back in every round."""
    own = [v for v in found if isinstance(v, _OWN)]
    others = [v for v in found if not isinstance(v, _OWN)]
    kept = others if len(others) <= MAX_VALUES else ordered(frozenset(others))[:MAX_VALUES]
    return frozenset((*(own if len(own) <= MAX_OWN else ordered(frozenset(own))[:MAX_OWN]), *kept))


_OWN = (FunctionRef, ClassRef, Instance, Bound)
