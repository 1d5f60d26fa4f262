"""Takes a member out of a JSON object by span. What is around it stays; a comment behind it goes with it."""

from __future__ import annotations

import re

from mmcodemod.facts.jsonedit import SpanEdit
from mmcodemod.facts.lines import LineMap
from mmcodemod.facts.node import Node
from mmcodemod.model.pattern import regex

_COMMENT = regex(r"//[^\r\n]*|#[^\r\n]*|/\*.*?\*/", re.DOTALL)
_BEHIND = regex(r"[ \t]*(?:,[ \t]*)?(?:(?://|#)[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=[\r\n]))?\s*")


def remove_member(text: str, obj: Node, key: str) -> tuple[SpanEdit, ...]:
    """The (start, end, new text) that take the member `key` out of `obj`, a node of the parsed `text`."""
    lines = LineMap(text)
    index = next(i for i, m in enumerate(obj.members) if m.key == key)
    member = obj.members[index]
    start, end = lines.offset(member.key_start), lines.offset(member.node.end)
    if index + 1 < len(obj.members):
        behind = _BEHIND.match(text, end)
        spans = [(start, behind.end() if behind else end)]
    elif index:
        spans = _last(text, lines.offset(obj.members[index - 1].node.end), start, end)
    else:
        spans = [(lines.offset(obj.start) + 1, lines.offset(obj.end) - 1)]
    return tuple((lines.position(a), lines.position(b), "") for a, b in spans)


def _last(text: str, before: int, start: int, end: int) -> list[tuple[int, int]]:
    """The spans that go with the last member; `before` is the end of the one above it. A comma at the end of
    the object stays one: the member takes the comma in front of it along, or else its own."""
    begin = len(text[:start].rstrip())
    own = re.compile(r"\s*,").match(text, end)
    if own:
        return [(begin, own.end())]
    gap = _COMMENT.sub(lambda found: " " * len(found.group()), text[before:start])
    comma = before + gap.index(",") if "," in gap else begin
    if comma + 1 >= begin:
        return [(min(comma, begin), end)]
    return [(comma, comma + 1), (begin, end)]
