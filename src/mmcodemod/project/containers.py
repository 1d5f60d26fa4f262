"""What lists, dicts and objects that can be iterated hold, also what is put into them later. May-analysis."""

from __future__ import annotations

from mmcodemod.facts.terms import Term
from mmcodemod.project.frame import Frame
from mmcodemod.project.index import Index
from mmcodemod.project.members import Members
from mmcodemod.project.values import (
    NOTHING,
    Instance,
    Items,
    Key,
    Mapping,
    Text,
    Value,
    Values,
    capped,
    entries,
    flat,
    looked_up,
    unpacked,
)

UNKNOWN: Key = None  # a key that is not constant


class Containers(Members):
    """Elements, entries, and the heap: additions by the site that made the container."""

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._iterating: set[str] = set()  # the `__iter__`s that are being looked into

    def iterated(self, values: Values) -> Values:
        """What a loop over the values gives."""
        found: set[Value] = set()
        for value in values:
            if isinstance(value, Items):
                found |= value.elements | self.added(value)
            elif isinstance(value, Mapping):
                found |= self._keys(value)
            elif isinstance(value, Instance):
                found |= self._from_object(value.cls)
        return capped(found)

    def _keys(self, value: Mapping) -> Values:
        names = {key for key, _ in value.items} | self.heap.get(value.site, {}).keys()
        return frozenset(Text(name) for name in names if isinstance(name, str))

    def _from_object(self, cls: str) -> Values:
        iterator = self.classes.find(cls, "__iter__")
        if iterator in self._iterating:
            return NOTHING  # it hands on what another object of its class gives
        if iterator is None:
            getter = self.classes.find(cls, "__getitem__")
            return self.returned(Frame(getter, cls)) if getter else NOTHING
        self._iterating.add(iterator)
        given = self.returned(Frame(iterator, cls))
        self._iterating.discard(iterator)
        found: set[Value] = set()
        for value in given:
            if isinstance(value, Items):
                found |= value.elements | self.added(value)
            elif isinstance(value, Instance):
                found |= self.stepped(value)
        return frozenset(found)

    def stepped(self, value: Value) -> Values:
        """What `next` gives."""
        if isinstance(value, Instance):
            step = self.classes.find(value.cls, "__next__")
            return self.returned(Frame(step, value.cls)) if step else NOTHING
        return self.iterated(frozenset((value,)))

    def added(self, value: Items | Mapping, key: Key = UNKNOWN) -> Values:
        """What was put into a container after it was made: under a key, or under any (None)."""
        given = self.heap.get(value.site)
        if not given:
            return NOTHING
        if key is UNKNOWN:
            return NOTHING.union(*given.values())
        return given.get(key, NOTHING) | given.get(UNKNOWN, NOTHING)

    def entry(self, value: Value, key: Key) -> Values:
        """`value[key]` of a display; `key` None when it is not known."""
        if isinstance(value, Mapping):
            return looked_up(value, key) | self.added(value, key)
        if isinstance(value, Items):
            inside = unpacked(frozenset((value,)), key) if isinstance(key, int) else value.elements
            return inside | self.added(value)
        return NOTHING

    def site(self, expr: Term, frame: Frame) -> str:
        """The name of the place that makes a container."""
        return f"{frame.function}@{frame.receiver}:{expr.lineno}:{expr.col_offset}"

    def spread(self, values: Values) -> list[tuple[Key, Values]]:
        """The entries of all dicts among the values, later additions included."""
        found: list[tuple[Key, Values]] = []
        for value in values:
            if isinstance(value, Mapping):
                found += value.items
                found += self.heap.get(value.site, {}).items()
        return found

    def copied(self, values: Values, site: str) -> Values:
        """A new dict with the entries of the values."""
        return frozenset((Mapping(entries((k, flat(v)) for k, v in self.spread(values)), site),))
