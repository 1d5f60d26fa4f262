"""Span edits of JSON texts: comments, order, line ends and number formats outside the span survive."""

from __future__ import annotations

import json
import re

from mmcodemod.facts.lines import LineMap, Position
from mmcodemod.facts.node import Node
from mmcodemod.model.pattern import regex

_COMMENT = regex(r"//[^\r\n]*|#[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LINE_END = regex(r"\r\n|\r|\n")

SpanEdit = tuple[Position, Position, str]


def insert_member(text: str, obj: Node, key: str, value_source: str) -> SpanEdit:
    """(start, end, new text) that adds a member at the end of `obj`, a node of the parsed `text`."""
    return _Insertion(text, obj).edit(key, value_source)


class _Insertion:
    """How one object is written: its offsets, line ends and indentation."""

    def __init__(self, text: str, obj: Node) -> None:
        self.text, self.obj, self.lines = text, obj, LineMap(text)
        self.close = self.lines.offset(obj.end) - 1
        self.last = obj.members[-1] if obj.members else None
        self.begin = self.lines.offset(self.last.node.end if self.last else obj.start)
        self.begin += 0 if self.last else 1
        self.gap = text[self.begin : self.close]
        self.bare_gap = _COMMENT.sub("", self.gap)

    def edit(self, key: str, value_source: str) -> SpanEdit:
        entry = f"{json.dumps(key)}{self._separator()}{value_source}"
        if self.last is None and not self.gap.strip():
            return self._fill(entry)
        body = self.gap.rstrip()
        comma, trailing = ("," if self._needs_comma() else ""), ("," if "," in self.bare_gap else "")
        keep = "" if not comma else body
        start = self.begin if comma else self.begin + len(body)
        end = self.begin + len(body)
        return self._span(start, end, comma + keep + self._before_entry() + entry + trailing)

    def _fill(self, entry: str) -> SpanEdit:
        """The only member of an object that holds nothing but white space."""
        if not _LINE_END.search(self.gap):
            return self._span(self.begin, self.close, entry)
        new_line, base = self._new_line(), self._indent_at(self.lines.offset(self.obj.start))
        return self._span(self.begin, self.close, f"{new_line}{base}{self._unit()}{entry}{new_line}{base}")

    def _span(self, start: int, end: int, new: str) -> SpanEdit:
        return self.lines.position(start), self.lines.position(end), new

    def _needs_comma(self) -> bool:
        if self.last is None or "," in self.bare_gap or self._is_quoteless(self.last.node):
            return False
        return not self._style_without_commas()

    def _is_quoteless(self, node: Node) -> bool:
        """hjson: a comma after a string without quotes would become part of the string."""
        return node.kind == "string" and node.raw[:1] not in ('"', "'")

    def _style_without_commas(self) -> bool:
        if len(self.obj.members) < 2 or self._on_one_line():
            return False
        one, two = self.obj.members[-2:]
        between = self.text[self.lines.offset(one.node.end) : self.lines.offset(two.key_start)]
        return "," not in _COMMENT.sub("", between) and not self._is_quoteless(one.node)

    def _on_one_line(self) -> bool:
        inside = self.text[self.lines.offset(self.obj.start) : self.close]
        return not _LINE_END.search(inside)

    def _before_entry(self) -> str:
        if self._on_one_line():
            return "" if self._separator() == ":" else " "
        return self._new_line() + self._indent()

    def _indent(self) -> str:
        """The white space before the last member when it starts its line, else one step below the object."""
        if self.last is not None:
            start = self.lines.offset(self.last.key_start)
            before = self.text[start - self.last.key_start[1] + 1 : start]
            if not before.strip():
                return before
        return self._indent_at(self.lines.offset(self.obj.start)) + self._unit()

    def _indent_at(self, offset: int) -> str:
        start = offset - self.lines.position(offset)[1] + 1
        found = re.compile(r"[ \t]*").match(self.text, start)
        return found.group() if found else ""

    def _unit(self) -> str:
        found = re.search(r"(?m)^[ \t]+(?=\S)", self.text)
        return found.group() if found else "    "

    def _new_line(self) -> str:
        found = _LINE_END.search(self.text)
        return found.group() if found else "\n"

    def _separator(self) -> str:
        """What stands between key and value elsewhere in this object: ": " unless it is ":" or " : "."""
        if self.last is None:
            return ": "
        start, end = self.lines.offset(self.last.key_end), self.lines.offset(self.last.node.start)
        between = self.text[start:end]
        return between if re.fullmatch(r"[ \t]*:[ \t]*", between) else ": "
