"""Lines as every stage counts them."""

from __future__ import annotations

import io

from mmcodemod.model.pattern import regex

_LINE = regex(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def lines_of(text: str) -> list[str]:
    """The lines as Python's tokenizer and editors count them: form feeds and U+2028 end none."""
    return io.StringIO(text, newline=None).read().split("\n")


def raw_lines(text: str) -> list[str]:
    """The same lines with their ends, together the text; none for the emptiness behind the last end."""
    return _LINE.findall(text)
