"""What functions assign to other objects, and put into containers: it lasts from round to round."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.facts.body import Body, Put, Store, Via
from mmcodemod.facts.terms import Call, Term
from mmcodemod.project.frame import Frame
from mmcodemod.project.infer import Resolver
from mmcodemod.project.values import (
    ClassRef,
    Instance,
    Items,
    Key,
    Mapping,
    ModuleRef,
    Text,
    Values,
    flat,
    ordered,
)


class Assigning:
    """Fills the resolver's tables of stores, patches and containers."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    def take(self, frame: Frame, body: Body[Term, Call]) -> None:
        """All that the body of a frame stores and puts."""
        for store in body.stores:
            self._store(store, self._resolver.source(store.value, frame), frame)
        for put in body.puts:
            self._put(put, frame)

    def _store(self, store: Store[Term], values: Values, frame: Frame) -> None:
        if not values:
            return
        for owner in ordered(self._resolver.infer(store.base, frame)):
            if isinstance(owner, Instance) and owner.cls != frame.receiver:
                self._resolver.grow(self._resolver.stores, (owner.cls, store.attr), values)
            elif isinstance(owner, (ClassRef, ModuleRef)):
                self._patch(owner, store, values, frame)

    def _patch(self, owner: ClassRef | ModuleRef, store: Store[Term], values: Values, frame: Frame) -> None:
        """Module code that always runs puts the value in the place of what was there."""
        table = self._resolver.patches if isinstance(owner, ClassRef) else self._resolver.stores
        key = (owner.cls if isinstance(owner, ClassRef) else owner.path, store.attr)
        if store.certain:
            self._resolver.replaced.add(key)
        if isinstance(owner, ClassRef):
            self._resolver.patched_names.add(store.attr)
        self._resolver.grow(table, key, values)

    def _put(self, put: Put[Term], frame: Frame) -> None:
        values = flat(self._resolver.source(put.value, frame))
        for owner in ordered(self._resolver.infer(put.base, frame)):
            if isinstance(owner, (Items, Mapping)) and owner.site:
                self._resolver.filled.setdefault(owner.site, {})[put, frame] = None
                for key, inside in self._entries(put, values, frame):
                    if inside:
                        self._resolver.grow(self._resolver.heap.setdefault(owner.site, {}), key, inside)

    def _entries(self, put: Put[Term], values: Values, frame: Frame) -> Iterator[tuple[Key, Values]]:
        if put.value.via is Via.ELEMENT:  # update and extend
            yield from self._resolver.spread(self._resolver.infer(put.value.expr, frame))
        kept = frozenset(v for v in values if put.key or not isinstance(v, Text))
        for key in self._resolver.keys(put.key, frame) if put.key is not None else [None]:
            yield key, kept
