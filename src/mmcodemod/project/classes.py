"""Classes: linearised bases with opaque library bases kept in place, and who defines a member."""

from __future__ import annotations

from collections.abc import Callable

from mmcodemod.facts.python import ClassFacts
from mmcodemod.knowledge.modules import extended_by, is_module_class
from mmcodemod.project.index import Index
from mmcodemod.project.library import library_name
from mmcodemod.project.stubs import class_of
from mmcodemod.project.values import ClassRef, External, Value, Values

MAX_SUBCLASSES = 24

Base = Value  # a ClassRef of the tree or an External class


class Classes:
    """Method resolution orders, memoised. `bases_of` resolves a base expression's values."""

    def __init__(self, index: Index, bases_of: Callable[[ClassFacts], list[Values]]) -> None:
        self._index = index
        self._bases_of = bases_of
        self._mro: dict[str, tuple[Base, ...]] = {}
        self._own: dict[str, list[ClassFacts]] = {}
        self._external: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._open: set[str] = set()
        self._subclasses: dict[str, list[str]] | None = None

    def mro(self, cls: str) -> tuple[Base, ...]:
        """C3 over the bases that resolve; where C3 fails, depth first without duplicates."""
        cls = class_of(cls)
        if cls not in self._mro:
            if cls in self._open:
                return (ClassRef(cls),)
            self._open.add(cls)
            self._mro[cls] = self._linearise(cls)
            self._open.discard(cls)
        return self._mro[cls]

    def _linearise(self, cls: str) -> tuple[Base, ...]:
        bases = [b for values in self._bases_of(self._index.cls(cls)) for b in _classes(values)]
        lines = [list(self.mro(b.cls)) if isinstance(b, ClassRef) else [b, *self._extended(b)] for b in bases]
        merged = _merge([*map(list, lines), list(bases)])
        if merged is None:
            merged = list(dict.fromkeys(b for line in lines for b in line))
        return (ClassRef(cls), *(b for b in merged if b != ClassRef(cls)))

    def _extended(self, base: Base) -> tuple[Base, ...]:
        """What a library class that has no model of its own extends."""
        known = extended_by(base.name) if isinstance(base, External) else ""
        module, _, name = known.rpartition(".")
        for path in self._index.modules.models(module) if known else ():
            if name in self._index.files[path].classes:
                return self.mro(f"{path}::{name}")
        return ()

    def subclasses(self, cls: str) -> tuple[str, ...]:
        """The tree's classes below `cls`, at most MAX_SUBCLASSES of them."""
        if self._subclasses is None:
            self._subclasses = {}
            for file in list(self._index.files.values()):
                for facts in file.classes.values():
                    for base in self.mro(facts.id)[1:]:
                        if isinstance(base, ClassRef):
                            self._subclasses.setdefault(base.cls, []).append(facts.id)
        return tuple(self._subclasses.get(class_of(cls), ())[:MAX_SUBCLASSES])

    def own(self, cls: str) -> list[ClassFacts]:
        """The tree's classes in the order of resolution."""
        found = self._own.get(cls)
        if found is None:
            found = [self._index.cls(b.cls) for b in self.mro(cls) if isinstance(b, ClassRef)]
            if self.is_resolved(cls):
                self._own[cls] = found
        return found

    def is_resolved(self, cls: str) -> bool:
        """Are its bases known, and not just being worked out?"""
        return class_of(cls) in self._mro

    def after(self, cls: str, definer: str) -> tuple[Base, ...]:
        """The part of the order behind `definer`: what `super()` looks through."""
        order = self.mro(cls)
        for position, base in enumerate(order):
            if isinstance(base, ClassRef) and base.cls == definer:
                return order[position + 1 :]
        return ()

    def external_bases(self, cls: str) -> list[str]:
        """Dotted names of the library classes among the bases, modelled ones included."""
        found = self._external.get(cls)
        if found is None:
            found = [name for b in self.mro(cls) if (name := library_name(self._index.modules, b))]
            if self.is_resolved(cls):
                self._external[cls] = found
        return found

    def is_module(self, cls: str) -> bool:
        """Is it a torch module: by a library base, or by a base of the tree that is one?"""
        return any(is_module_class(name) for name in self.external_bases(cls))

    def find(self, cls: str, name: str, order: tuple[Base, ...] | None = None) -> str | None:
        """The id of the method `name` that an object of `cls` has; None when the tree defines none."""
        if order is not None:
            return self._search(order, name)
        key = (cls, name)
        if key not in self._found:
            found = self._search(self.mro(cls), name)
            if not self.is_resolved(cls):
                return found  # its bases are being resolved
            self._found[key] = found
        return self._found[key]

    def _search(self, order: tuple[Base, ...], name: str) -> str | None:
        for base in order:
            if isinstance(base, ClassRef):
                facts = self._index.cls(base.cls)
                if name in facts.methods:
                    return f"{facts.path}::{facts.methods[name]}"
        return None


def _classes(values: Values) -> list[Base]:
    return sorted((v for v in values if isinstance(v, (ClassRef, External))), key=repr)


def _merge(lines: list[list[Base]]) -> list[Base] | None:
    """C3's merge; None when there is no consistent order."""
    out: list[Base] = []
    while any(lines):
        for line in lines:
            if line and not any(line[0] in other[1:] for other in lines):
                head = line[0]
                break
        else:
            return None
        out.append(head)
        lines = [[b for b in line if b != head] for line in lines]
    return out
