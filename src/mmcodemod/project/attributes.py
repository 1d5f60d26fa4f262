"""What the whole tree gives an attribute, whatever object it is asked of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mmcodemod.facts.body import Via
from mmcodemod.facts.python import FileFacts
from mmcodemod.facts.terms import Call, Constant, is_name
from mmcodemod.project.index import Index

_UNKNOWN = object()


class Attributes:
    """Answers by the name of an attribute. Only files whose text has the name are looked into."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: dict[str, tuple[Any, ...] | None] = {}

    def constants(self, name: str) -> tuple[Any, ...] | None:
        """The constants that classes and assignments give it: () where none do, None where there is more."""
        if name not in self._known:
            found = tuple(self._found(name))
            self._known[name] = None if any(value is _UNKNOWN for value in found) else found
        return self._known[name]

    def _found(self, name: str) -> Iterator[Any]:
        for path in self._index.python_files:
            if name.encode() in self._index.tree.read_bytes(path):
                yield from _defined(self._index.files[path], name)
                yield from _stored(self._index.files[path], name)


def _defined(file: FileFacts, name: str) -> Iterator[Any]:
    for facts in file.classes.values():
        if name in facts.methods or (name in facts.fields and name not in facts.attributes):
            yield _UNKNOWN
        for expr in facts.attributes.get(name, ()):
            yield expr.value if isinstance(expr, Constant) else _UNKNOWN


def _stored(file: FileFacts, name: str) -> Iterator[Any]:
    for facts in file.functions.values():
        for store in facts.body.stores:
            if store.attr == name:
                plain = store.value.via is Via.VALUE and isinstance(store.value.expr, Constant)
                yield store.value.expr.value if plain else _UNKNOWN  # type: ignore[attr-defined]
        yield from (_UNKNOWN for call in facts.body.calls if _sets(call, name))


def _sets(call: Call, name: str) -> bool:
    """`setattr(object, "name", value)`, or with a key that is not constant."""
    if not is_name(call.func, "setattr") or len(call.args) < 2:
        return False
    key = call.args[1]
    return not isinstance(key, Constant) or key.value == name
