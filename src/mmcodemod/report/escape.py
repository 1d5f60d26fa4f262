"""Text of the analysed repository must not steer the terminal that shows it."""

from __future__ import annotations

import unicodedata

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def visible(text: str) -> str:
    """`text` on one line, with control, bidirectional, invisible and undecodable characters written out."""
    return text if text.isprintable() else "".join(map(_visible, text))


def visible_lines(text: str) -> str:
    """The same for text of several lines; line feeds and tabs stay."""
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))


def storable(text: str) -> str:
    """`text` without the lone surrogates of undecodable file names, which are no valid JSON."""
    return text.encode("utf-8", "backslashreplace").decode()


def width(text: str) -> int:
    """How many columns a terminal takes for `text`."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _INVISIBLE:
        return character
    return character.encode("unicode_escape").decode("ascii")


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
