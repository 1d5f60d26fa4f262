"""Dictionaries of code as objects: what two names hold is changed for both, a copy apart. What may be changed
anywhere is UNKNOWN wherever it hangs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.project.config_values import Settings, Value


def item(value: Value, keys: Sequence[str]) -> Value | None:
    """What stands under the keys; None where that does not show."""
    found: Value | None = value
    for key in keys:
        found = found.content.get(key) if found is not None and isinstance(found.content, dict) else None
    return found


def put(value: Value, keys: Sequence[str], given: Value) -> bool:
    """`value[keys...] = given`; False where there is no dictionary to put it into."""
    holder: Value | None = value
    for key in keys[:-1]:
        inner = holder.content if holder is not None else None
        holder = inner.setdefault(key, Value({}, given.at)) if isinstance(inner, dict) else None
    if holder is None or not isinstance(holder.content, dict):
        return False
    holder.content[keys[-1]] = given
    return True


def take_out(value: Value, keys: Sequence[str]) -> None:
    """`del value[keys...]`"""
    holder = item(value, keys[:-1])
    if holder is not None and isinstance(holder.content, dict):
        holder.content.pop(keys[-1], None)


def within(value: Value, seen: set[int] | None = None) -> set[int]:
    """The dictionaries and lists that an object is or holds, by identity."""
    found = set[int]() if seen is None else seen
    if isinstance(value.content, (dict, tuple)) and id(value.content) not in found:
        found.add(id(value.content))
        for inner in value.content.values() if isinstance(value.content, dict) else value.content:
            within(inner, found)
    return found


class Without:
    """Objects with UNKNOWN in the place of some dictionaries that they hold; each is looked at once."""

    def __init__(self, lost: Collection[int], at: Place) -> None:
        self._lost, self._open = lost, Value(UNKNOWN, at)
        self._seen: set[int] = set()

    def of(self, value: Value) -> Value:
        content = value.content
        if id(content) in self._lost:
            return self._open
        if isinstance(content, tuple):
            return Value(tuple(self.of(item) for item in content), value.at) if self._holds(value) else value
        if isinstance(content, dict) and id(content) not in self._seen:
            self._seen.add(id(content))
            for key, inner in content.items():
                content[key] = self.of(inner)
        return value

    def _holds(self, value: Value) -> bool:
        return not within(value).isdisjoint(self._lost)


def copied(value: Value, depth: int, made: dict[int, Settings] | None = None) -> Value:
    """A copy apart, of as many levels as `depth` says. What stands in several places is copied once."""
    known = {} if made is None else made
    if depth > 0 and isinstance(value.content, tuple):
        return Value(tuple(copied(item, depth - 1, known) for item in value.content), value.at)
    if depth < 1 or not isinstance(value.content, dict):
        return value
    if id(value.content) not in known:
        copy = known[id(value.content)] = Settings()
        copy.update((key, copied(inner, depth - 1, known)) for key, inner in value.content.items())
    return Value(known[id(value.content)], value.at)
