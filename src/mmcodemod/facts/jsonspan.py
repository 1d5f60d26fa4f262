"""JSON with spans, in both dialects that DeepSpeed configurations are written in: strict JSON and hjson
(comments, trailing or missing commas, keys and strings without quotes). Never raises."""

from __future__ import annotations

import json
import re

from mmcodemod.facts.jsonedit import insert_member
from mmcodemod.facts.lines import LineMap
from mmcodemod.facts.node import Json, Member, Node, NodeScalar
from mmcodemod.model.pattern import regex

__all__ = ["Json", "Member", "Node", "insert_member", "parse"]

MAX_DEPTH = 100
_SPACE = regex(r"\s*")
_COMMENT_LINE = regex(r"[^\r\n]*")
_STRING = regex(r'"(?:[^"\\\r\n]|\\[^\r\n])*"|\'(?:[^\'\\\r\n]|\\[^\r\n])*\'')
_BARE_KEY = regex(r"[^\s,:\[\]{}\"']+")
_WORD = regex(
    r"(?:(?P<number>-?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|Infinity)|NaN)|(?P<word>true|false|null))"
    r"(?=[ \t]*(?:[,\]}\r\n#]|//|/\*|\Z))"
)
_WORDS: dict[str, tuple[str, NodeScalar]] = {
    "true": ("bool", True),
    "false": ("bool", False),
    "null": ("null", None),
}


class _Failure(Exception):
    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at, self.message = at, message


def parse(text: str) -> Json:
    """Read a document; a text that neither dialect accepts has `root` None and one error."""
    strict, lines = _is_strict(text), LineMap(text)
    try:
        return Json(_Reader(text, lines).document(), strict)
    except _Failure as failure:
        return Json(None, strict, ((*lines.position(failure.at), failure.message),))


def _is_strict(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


class _Reader:
    """Recursive descent with a bounded depth over one text."""

    def __init__(self, text: str, lines: LineMap) -> None:
        self.text, self.lines, self.at = text, lines, 0

    def document(self) -> Node:
        root = self._value(0)
        if self._peek():
            raise _Failure(self.at, "text after the end of the document")
        return root

    def _peek(self) -> str:
        """The next character that is neither white space nor comment; "" at the end."""
        while True:
            self._match(_SPACE)
            if self.text.startswith(("//", "#"), self.at):
                self._match(_COMMENT_LINE)
            elif self.text.startswith("/*", self.at):
                self._block_comment()
            else:
                return self.text[self.at : self.at + 1]

    def _block_comment(self) -> None:
        end = self.text.find("*/", self.at + 2)
        if end < 0:
            raise _Failure(self.at, "comment without end")
        self.at = end + 2

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found.group()

    def _value(self, depth: int) -> Node:
        first, start = self._peek(), self.at
        if depth > MAX_DEPTH:
            raise _Failure(start, f"nested deeper than {MAX_DEPTH}")
        if first == "{":
            return self._object(start, depth)
        if first == "[":
            return self._array(start, depth)
        if first and first in "\"'":
            return self._node("string", self._string(), start)
        return self._bare(start)

    def _object(self, start: int, depth: int) -> Node:
        self.at += 1
        members: list[Member] = []
        while self._peek() != "}":
            members.append(self._member(depth))
            self._comma()
        self.at += 1
        return self._node("object", None, start, members=tuple(members))

    def _array(self, start: int, depth: int) -> Node:
        self.at += 1
        items: list[Node] = []
        while self._peek() != "]":
            items.append(self._value(depth + 1))
            self._comma()
        self.at += 1
        return self._node("array", None, start, items=tuple(items))

    def _comma(self) -> None:
        if self._peek() == ",":
            self.at += 1

    def _member(self, depth: int) -> Member:
        key_start = self.lines.position(self.at)
        key = self._string() if self.text[self.at : self.at + 1] in ('"', "'") else self._match(_BARE_KEY)
        key_end = self.lines.position(self.at)
        if self._peek() != ":":
            raise _Failure(self.at, "expected a key and a colon")
        self.at += 1
        return Member(key, key_start, key_end, self._value(depth + 1))

    def _string(self) -> str:
        if self.text.startswith("'''", self.at):
            return self._long_string()
        start, raw = self.at, self._match(_STRING)
        if not raw:
            raise _Failure(start, "string without end")
        return _unescape(raw)

    def _long_string(self) -> str:
        start, end = self.at + 3, self.text.find("'''", self.at + 3)
        if end < 0:
            raise _Failure(self.at, "string without end")
        self.at = end + 3
        return self.text[start:end].strip("\r\n")

    def _bare(self, start: int) -> Node:
        """A number, a word, or hjson's string without quotes, which runs to the end of the line."""
        found = _WORD.match(self.text, self.at)
        if found is None:
            return self._quoteless(start)
        self.at = found.end()
        if found["word"]:
            kind, value = _WORDS[found["word"]]
            return self._node(kind, value, start)
        return self._node("number", _number(found["number"]), start)

    def _quoteless(self, start: int) -> Node:
        line = self._match(_COMMENT_LINE).rstrip()
        self.at = start + len(line)
        if not line or line[0] in "{}[],:":
            raise _Failure(start, "expected a value")
        return self._node("string", line, start)

    def _node(
        self,
        kind: str,
        value: NodeScalar,
        start: int,
        members: tuple[Member, ...] = (),
        items: tuple[Node, ...] = (),
    ) -> Node:
        raw = "" if kind in ("object", "array") else self.text[start : self.at]
        begin, end = self.lines.position(start), self.lines.position(self.at)
        return Node(kind, value, begin, end, raw, members, items)


def _unescape(raw: str) -> str:
    try:
        return str(json.loads(raw))
    except ValueError:
        return raw[1:-1]


def _number(raw: str) -> int | float:
    try:
        return int(raw)
    except ValueError:  # also an integer with too many digits for Python's limit
        return float(raw)
