"""What lists, tuples, dicts and comprehensions are, and what their methods give. May-analysis."""

from __future__ import annotations

from mmcodemod.facts.terms import (
    Attribute,
    Call,
    Comprehension,
    Constant,
    Dict,
    DictComprehension,
    List,
    Name,
    Set,
    Slice,
    Starred,
    Subscript,
    Sum,
    Term,
    Tuple,
)
from mmcodemod.project.containers import UNKNOWN
from mmcodemod.project.frame import Frame
from mmcodemod.project.library_results import LibraryResults
from mmcodemod.project.values import (
    NOTHING,
    Instance,
    Items,
    Key,
    Made,
    Mapping,
    ModuleRef,
    Value,
    Values,
    capped,
    entries,
    external,
    flat,
    ordered,
)

_GLOBALS = external("<builtin>.globals")
MAX_FIXED = 8  # elements that are told apart by their position


class Displays(LibraryResults):
    """Values of displays, of their subscripts, and of the methods of dicts."""

    def infer_items(self, expr: List | Tuple | Set, frame: Frame) -> Values:
        parts = tuple(self._element(e, frame) for e in expr.elts[:64])
        union = capped(NOTHING.union(*parts))
        fixed = len(parts) <= MAX_FIXED and not any(isinstance(e, Starred) for e in expr.elts)
        site = "" if isinstance(expr, Tuple) else self.site(expr, frame)
        return frozenset((Items(union, parts if fixed else (), site),))

    def _element(self, expr: Term, frame: Frame) -> Values:
        if isinstance(expr, Constant):
            return self.infer(expr, frame)
        if isinstance(expr, Starred):
            return flat(self.iterated(self.infer(expr.value, frame)))
        return flat(self.infer(expr, frame))

    def infer_sum(self, expr: Sum, frame: Frame) -> Values:
        """`a + b` of lists and tuples; what other sums are is not followed."""
        parts = [[v for v in self.infer(e, frame) if isinstance(v, Items)] for e in expr.elts]
        if not any(parts):
            return NOTHING
        elements = flat(capped(v for lists in parts for v in self.iterated(frozenset(lists))))
        fixed = all(len(lists) == 1 and lists[0].ordered and not self.added(lists[0]) for lists in parts)
        places = tuple(at for lists in parts for at in lists[0].ordered) if fixed else ()
        return frozenset((Items(elements, places if len(places) <= MAX_FIXED else ()),))

    def infer_comprehension(self, expr: Comprehension, frame: Frame) -> Values:
        return frozenset((Items(flat(self.infer(expr.value, frame))),))

    def infer_dict_comprehension(self, expr: DictComprehension, frame: Frame) -> Values:
        return frozenset((Mapping(((None, flat(self.infer(expr.value, frame))),), self.site(expr, frame)),))

    def infer_dict(self, expr: Dict, frame: Frame) -> Values:
        found: list[tuple[Key, Values]] = []
        for key, value in zip(expr.keys[:64], expr.values):
            values = self.infer(value, frame)
            if key is None:
                found += self.spread(values)
            else:
                found += [(k, flat(values)) for k in self.keys(key, frame)]
        return frozenset((Mapping(entries(found), self.site(expr, frame)),))

    def infer_subscript(self, expr: Subscript, frame: Frame) -> Values:
        found: set[Value] = set()
        own = self._own_module(expr.value, frame)
        if own is not None:
            return self._named(own, expr.slice, frame)
        values = self.infer(expr.value, frame)
        if isinstance(expr.slice, Slice):
            return capped(
                self._sliced(v, expr.slice) for v in values if isinstance(v, (Items, Instance, Made))
            )
        for value in values:
            if isinstance(value, Instance):
                method = self.classes.find(value.cls, "__getitem__")
                found |= self.returned(Frame(method, value.cls)) if method else NOTHING
            elif isinstance(value, (Items, Mapping)):
                found |= self._entries(value, expr.slice, frame)
        return capped(found)

    def _own_module(self, expr: Term, frame: Frame) -> ModuleRef | None:
        """The module whose names `globals()` has; None of other expressions."""
        named = isinstance(expr, Call) and isinstance(expr.func, Name) and expr.func.id == "globals"
        if not named or self.infer(expr.func, frame) != _GLOBALS:  # type: ignore[attr-defined]
            return None
        path = self.index.function(frame.function).path
        return ModuleRef(path, self.index.modules.name(path))

    def _named(self, module: ModuleRef, key: Term, frame: Frame) -> Values:
        """What a name of the module may be."""
        keys = self.keys(key, frame)
        if UNKNOWN in keys:
            return self.any_class(module)
        return NOTHING.union(*(self.member(module, k) for k in keys if isinstance(k, str)))

    def any_class(self, module: ModuleRef) -> Values:
        """What a name of the module is that is not known: one of its classes."""
        return self._registered(self.module_classes(module.path)) if module.path else NOTHING

    def _sliced(self, value: Value, part: Slice) -> Value:
        if not isinstance(value, Items) or self.added(value):
            return value
        bounds = _bounds(part)
        if bounds is None:
            return Items(value.elements)
        kept = value.ordered[bounds]
        return Items(frozenset(v for p in kept for v in p) if value.ordered else value.elements, kept)

    def _entries(self, value: Value, key: Term, frame: Frame) -> Values:
        """What stands under a key, or under each that it may be."""
        keys = self.keys(key, frame)
        if UNKNOWN in keys:
            return self._registered(self.entry(value, UNKNOWN))
        return capped(v for k in keys for v in self.entry(value, k))

    def _registered(self, values: Values) -> Values:
        """Remember what was looked up under a key that is not known."""
        self.looked_up |= values
        return values

    def _dicts(self, func: Attribute, frame: Frame) -> list[Mapping]:
        return [v for v in ordered(self.infer(func.value, frame)) if isinstance(v, Mapping)]

    def dict_get(self, func: Attribute, expr: Call, frame: Frame) -> Values | None:
        own = self._own_module(func.value, frame) if expr.args else None
        if own is not None:
            return capped(self._named(own, expr.args[0], frame))
        tables = self._dicts(func, frame)
        if not tables or not expr.args:
            return None
        found = [self._entries(table, expr.args[0], frame) for table in tables]
        found += [self.infer(default, frame) for default in expr.args[1:2]]
        return capped(v for values in found for v in values)

    def dict_values(self, func: Attribute, expr: Call, frame: Frame) -> Values | None:
        tables = self._dicts(func, frame)
        every = capped(v for t in tables for v in self.entry(t, None))
        return frozenset((Items(flat(every)),)) if tables else None

    def dict_items(self, func: Attribute, expr: Call, frame: Frame) -> Values | None:
        tables = self._dicts(func, frame)
        names = capped(v for t in tables for v in self._keys(t))
        every = flat(capped(v for t in tables for v in self.entry(t, None)))
        pair = Items(names | every, (names, every))
        return frozenset((Items(frozenset((pair,))),)) if tables else None

    def dict_keys(self, func: Attribute, expr: Call, frame: Frame) -> Values | None:
        tables = self._dicts(func, frame)
        return frozenset((Items(capped(v for t in tables for v in self._keys(t))),)) if tables else None

    def dict_copy(self, func: Attribute, expr: Call, frame: Frame) -> Values | None:
        tables = self._dicts(func, frame)
        return self.copied(frozenset(tables), self.site(expr, frame)) if tables else None


def _bounds(part: Slice) -> slice | None:
    """The slice with constant bounds; None when one is not known."""
    ends: list[int | None] = []
    for end in (part.lower, part.upper, part.step):
        if end is not None and not (isinstance(end, Constant) and isinstance(end.value, int)):
            return None
        ends.append(end.value if isinstance(end, Constant) and isinstance(end.value, int) else None)
    return slice(*ends) if ends[2] != 0 else None
