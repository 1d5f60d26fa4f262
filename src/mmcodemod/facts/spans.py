"""What the edits by span of all formats share. Each format has a module `edit_*` whose functions answer with
edits, () where the text says so already, and None where they refuse: what an edit would come to is read
back first, and anything but the wanted value, with all others as they were, is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard

from mmcodemod.facts.lines import LineMap
from mmcodemod.facts.node import Node, NodeScalar
from mmcodemod.model.fix import Edit
from mmcodemod.model.pattern import regex

Edits = tuple[Edit, ...]
Values = dict[str, "Values"] | list["Values"] | str  # a scalar is its `repr`
Span = tuple[int, int, str]  # offsets from 0, end exclusive, and the new text

LINE_END = regex(r"\r\n|\r|\n")
_COMMENT = regex(r"#[^\r\n]*")


def edits(text: str, path: str, spans: Iterable[Span]) -> Edits:
    """Edits of the file `path`, which holds `text`."""
    lines = LineMap(text)
    return tuple(Edit(path, lines.position(start), lines.position(end), new) for start, end, new in spans)


def applied(text: str, spans: Iterable[Span]) -> str:
    """The text with all of them made; they do not overlap."""
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def new_line(text: str) -> str:
    """How the first line ends."""
    found = LINE_END.search(text)
    return found.group() if found else "\n"


def behind_last(text: str, start: int, end: int, close: int, entry: str) -> list[Span]:
    """Adds an entry to a list in brackets, behind the last one, which goes from `start` to `end`; `close` is
    the closing bracket. On a line of its own where the last one has that, behind its comment."""
    indent, gap = text[line_start(text, start) : start], text[end:close]
    if indent.strip() or not LINE_END.search(gap):
        return [(end, end, f", {entry}")]
    behind, own_line = end + len(gap.rstrip()), new_line(text) + indent + entry
    if "," in _COMMENT.sub("", gap):
        return [(behind, behind, own_line + ",")]
    if not gap.strip():
        return [(end, end, "," + own_line)]
    return [(end, end, ","), (behind, behind, own_line)]


def same(one: object, other: NodeScalar) -> bool:
    """Is it the value already? 1 and 1.0 are one number, `True` and 1 are not."""
    return isinstance(one, bool) is isinstance(other, bool) and one == other


def is_writable(value: NodeScalar) -> bool:
    """Can every format hold it? Not infinity, NaN, and halves of characters."""
    if isinstance(value, str):
        return not any("\ud800" <= char <= "\udfff" or char == "\0" for char in value)
    return not isinstance(value, float) or value - value == 0


def scalar_at(root: Node, keys: Sequence[str]) -> Node | None:
    """The scalar that a reader finds at a path of keys."""
    node: Node | None = root
    for key in keys:
        member = node.member(key) if node and node.kind == "object" else None
        node = member.node if member else None
    return node if node and node.kind not in ("object", "array") else None


def values(node: Node) -> Values:
    """All that a document says; the last of equal keys counts."""
    if node.kind == "object":
        return {m.key: values(m.node) for m in node.members}
    return [values(item) for item in node.items] if node.kind == "array" else repr(node.value)


def with_value(root: Node, keys: Sequence[str], value: NodeScalar) -> Values:
    """What a document would say with another value at `keys`, whose holders are objects or missing."""
    result = holder = values(root)
    for key in keys[:-1]:
        holder = holder.setdefault(key, {}) if _is_object(holder) else {}
    if _is_object(holder):
        holder[keys[-1]] = repr(value)
    return result


def without_key(root: Node, keys: Sequence[str]) -> Values:
    """What a document would say without the key."""
    result = holder = values(root)
    for key in keys[:-1]:
        holder = holder.get(key, {}) if _is_object(holder) else {}
    if _is_object(holder):
        holder.pop(keys[-1], None)
    return result


def _is_object(said: Values) -> TypeGuard[dict[str, Values]]:
    return isinstance(said, dict)
