"""Writes hjson as strict JSON with the same values; order, indentation and number literals stay.

before: {"stage": 3, // sharded
after:  {"stage": 3,
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from mmcodemod.api import Edit, JsonLines, JsonNode, frozen

COMMENT, UNQUOTED = "a comment", "a string without double quotes"
NO_COMMA = "a missing comma"
_COMMENT = re.compile(r"//[^\r\n]*|#[^\r\n]*|/\*.*?\*/", re.DOTALL)
_OWN_LINE = re.compile(r"[ \t]*(?:\r\n|\r|\n)")


@frozen()
class Slip:
    """What strict JSON does not allow: the text from offset `start` to `end`, and what replaces it."""

    kind: str
    start: int
    end: int
    text: str = ""


def slips(text: str, root: JsonNode) -> list[Slip]:
    """Everything in a document that `json.loads` refuses, in the order of the text."""
    found = _Slips(text)
    outside = [*found.comments(0, found.at(root.start)), *found.comments(found.at(root.end), len(text))]
    return sorted([*outside, *found.of(root)], key=lambda slip: (slip.start, slip.end))


def strict(text: str, path: str, root: JsonNode) -> tuple[Edit, ...]:
    """The edits that make the document strict, none when that would not do or is in doubt."""
    lines, written = JsonLines(text), text
    every = slips(text, root)
    if any(_is_doubtful(text, slip) for slip in every):
        return ()
    for slip in reversed(every):
        written = written[: slip.start] + slip.text + written[slip.end :]
    try:
        json.loads(written)
    except ValueError:
        return ()
    return tuple(Edit(path, lines.position(s.start), lines.position(s.end), s.text) for s in every)


def _is_doubtful(text: str, slip: Slip) -> bool:
    """hjson's strings without quotes run to the end of the line: `3 "overlap_comm": true` is one, where a
    comma was forgotten."""
    quoteless = slip.kind == UNQUOTED and text[slip.start] not in "\"'"
    return quoteless and any(mark in text[slip.start : slip.end] for mark in '",:{}[]')


class _Slips:
    """Walks one parsed text; what stands between two nodes is white space, commas, colons and comments."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = JsonLines(text).offset

    def of(self, node: JsonNode) -> Iterator[Slip]:
        if node.kind not in ("object", "array"):
            yield from self._scalar(node)
            return
        before = self.at(node.start) + 1
        for member in node.members:
            start, end = self.at(member.key_start), self.at(member.key_end)
            yield from self._between(before, start, inside=True)
            if self.text[start] != '"' or not self._loads(start, end):
                yield Slip("a key without double quotes", start, end, json.dumps(member.key))
            yield from self.comments(end, self.at(member.node.start))
            yield from self.of(member.node)
            before = self.at(member.node.end)
        for item in node.items:
            yield from self._between(before, self.at(item.start), inside=True)
            yield from self.of(item)
            before = self.at(item.end)
        yield from self._between(before, self.at(node.end) - 1, inside=False)

    def _scalar(self, node: JsonNode) -> Iterator[Slip]:
        start, end = self.at(node.start), self.at(node.end)
        if not self._loads(start, end):
            yield Slip(self._kind(node, start), start, end, json.dumps(node.value))

    def _kind(self, node: JsonNode, start: int) -> str:
        if node.kind != "string":
            return "a number in another form"
        quoted = self.text[start] == '"'
        return "a character that a string may not hold" if quoted else UNQUOTED

    def _loads(self, start: int, end: int) -> bool:
        try:
            json.loads(self.text[start:end])
        except ValueError:
            return False
        return True

    def _between(self, start: int, end: int, inside: bool) -> Iterator[Slip]:
        """The gap in front of a member or item (`inside`), or in front of the closing bracket."""
        yield from self.comments(start, end)
        bare = _COMMENT.sub(lambda found: " " * len(found.group()), self.text[start:end])
        first = self.text[:start].rstrip()[-1:] in "{["
        comma = bare.find(",")
        if inside and comma < 0 and not first:
            yield Slip(NO_COMMA, start, start, ",")
        elif not inside and comma >= 0:
            yield Slip("a comma at the end", start + comma, start + comma + 1)

    def comments(self, start: int, end: int) -> Iterator[Slip]:
        """Comments, with the spaces in front of them, or with their line when they have one of their own."""
        for found in _COMMENT.finditer(self.text, start, end):
            begin = len(self.text[: found.start()].rstrip(" \t"))
            line = _OWN_LINE.match(self.text, found.end())
            if line and self.text[begin - 1 : begin] in ("", "\n", "\r"):
                yield Slip(COMMENT, begin, line.end())
            else:
                yield Slip(COMMENT, max(begin, start), found.end())
