"""Sets and removes values of JSON by span, in both dialects (`jsonspan`). See `spans` for the answers."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mmcodemod.facts import jsonspan
from mmcodemod.facts.jsonedit import SpanEdit, insert_member
from mmcodemod.facts.jsonremoval import remove_member
from mmcodemod.facts.node import Node, NodeScalar
from mmcodemod.facts.spans import Edits, Values, is_writable, same, scalar_at, values, with_value, without_key
from mmcodemod.model.fix import Edit, apply_edits


def set_value(text: str, path: str, keys: Sequence[str], value: NodeScalar) -> Edits | None:
    """Write a scalar at `keys` of the file `path`; what is missing is added. Of equal keys the last is meant,
    which is the one that counts. Refused where an object or a list is to become a scalar, or the reverse."""
    parsed = jsonspan.parse(text)
    if parsed.root is None or not keys or not is_writable(value):
        return None
    now = scalar_at(parsed.root, keys)
    if now is not None and same(now.value, value):
        return ()
    span = _setting(text, parsed.root, keys, value)
    return _checked(text, path, [span], with_value(parsed.root, keys, value)) if span else None


def remove(text: str, path: str, keys: Sequence[str]) -> Edits | None:
    """Take a member out of the file `path`; a comment behind it goes with it. Refused for a key that is there
    twice: the other one would begin to count."""
    root = jsonspan.parse(text).root
    if root is None or not keys:
        return None
    holder: Node | None = root
    for key in keys[:-1]:
        member = holder.member(key) if holder else None
        holder = member.node if member else None
    if holder is None or holder.member(keys[-1]) is None:
        return ()
    return _checked(text, path, remove_member(text, holder, keys[-1]), without_key(root, keys))


def _setting(text: str, root: Node, keys: Sequence[str], value: NodeScalar) -> SpanEdit | None:
    node = root
    for depth, key in enumerate(keys):
        if node.kind != "object":
            return None
        member = node.member(key)
        if member is None:
            return insert_member(text, node, key, _source(keys[depth + 1 :], value))
        node = member.node
    return None if node.kind in ("object", "array") else (node.start, node.end, _source((), value))


def _source(keys: Sequence[str], value: NodeScalar) -> str:
    """The value inside an object for each key, on one line."""
    opened = "".join(f"{{{json.dumps(key, ensure_ascii=False)}: " for key in keys)
    return opened + json.dumps(value, ensure_ascii=False) + "}" * len(keys)


def _checked(text: str, path: str, spans: Sequence[SpanEdit], wanted: Values) -> Edits | None:
    edits = tuple(Edit(path, *span) for span in spans)
    after = jsonspan.parse(apply_edits(text, edits))
    stays = after.strict or not jsonspan.parse(text).strict
    return edits if after.root is not None and values(after.root) == wanted and stays else None
