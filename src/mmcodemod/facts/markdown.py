"""Fenced shell blocks of Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmcodemod.model.frozen import frozen

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w+-]*)")
_LANGUAGES = {"", "bash", "sh", "shell", "console", "zsh", "shell-session", "terminal"}
_PROMPT = re.compile(r"(?m)^([ \t]*)[$>](?= )")
_WRAPPED = re.compile(r"(?m)^([ \t]*[^\s#].*[^\s\\])[ \t]*(?=\n[ \t]*--\w)")
"""A line of a command that goes on with flags below, and does not say so."""


@frozen(slots=True)
class Block:
    """The text of a fenced block; `line` is the line of its first text line in the file."""

    line: int
    text: str


def shell_blocks(text: str) -> Iterator[Block]:
    """Blocks marked as shell, and those without a language, outside of comments. Prompts become blanks; lines
    that begin with flags belong to the command above; columns are kept."""
    fence, language, start, inside = "", "", 0, list[str]()
    comment = False
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        found = _FENCE.match(line)
        if not fence and (comment or not found):
            comment = _is_comment(line, comment)
        elif not fence and found:
            fence, language, start, inside = found[1], found[2].lower(), number + 1, []
        elif fence and found and found[1].startswith(fence) and not found[2]:
            if language in _LANGUAGES:
                yield Block(start, _WRAPPED.sub(r"\1 \\", _PROMPT.sub(r"\1 ", "\n".join(inside))))
            fence = ""
        elif fence:
            inside.append(line)


def _is_comment(line: str, comment: bool) -> bool:
    """Does a comment go on behind a line? `comment`: did one before it? It starts a line, and ends one."""
    return (comment or line.lstrip(" \t>").startswith("<!--")) and "-->" not in line
