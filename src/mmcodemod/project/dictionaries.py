"""Dictionaries of code as objects: what two names hold is changed for both, a copy apart. What may be changed
anywhere is UNKNOWN wherever it hangs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.project.config_values import MAX_DEPTH, Value


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


def within(value: Value, depth: int = 0) -> Iterator[int]:
    """The dictionaries that an object is or holds, by identity."""
    if isinstance(value.content, (dict, tuple)) and depth < MAX_DEPTH:
        yield id(value.content)
        held = value.content.values() if isinstance(value.content, dict) else value.content
        for inner in held:
            yield from within(inner, depth + 1)


def without(value: Value, lost: Collection[int], at: Place, depth: int = 0) -> Value:
    """The object, with UNKNOWN in the place of some dictionaries that it is or holds."""
    if id(value.content) in lost or depth > MAX_DEPTH:
        return Value(UNKNOWN, at)
    if isinstance(value.content, tuple):
        return Value(tuple(without(i, lost, at, depth + 1) for i in value.content), value.at)
    if isinstance(value.content, dict):
        for key, inner in value.content.items():
            value.content[key] = without(inner, lost, at, depth + 1)
    return value


def copied(value: Value, depth: int) -> Value:
    """A copy apart, of as many levels as `depth` says."""
    if depth < 1 or not isinstance(value.content, dict):
        return value
    return Value({key: copied(inner, depth - 1) for key, inner in value.content.items()}, value.at)
