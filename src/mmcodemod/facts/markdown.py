"""Shell blocks of Markdown files: fenced ones, and those of HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex

_FENCE = regex(r"[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w+-]*)")
_PRE = regex(r"[ \t>]*<pre((?:\s[^>]{0,200})?)>(?:[ \t]{0,9}<code[^>]{0,200}>)?", re.IGNORECASE)
_PRE_LANGUAGE = regex(r"\slang=[\"']?(\w+)", re.IGNORECASE)
_PRE_ENDS = "</pre>"
_LANGUAGES = {"", "bash", "sh", "shell", "console", "zsh", "shell-session", "terminal"}
_PROMPT = regex(r"(?m)^([ \t]*)[$>](?= )")
_WRAPPED = regex(r"(?m)^([ \t]*[^\s#].*[^\s\\])[ \t]*(?=\n[ \t]*--\w)")
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
        opened = None if fence or comment else _PRE.match(line)
        if opened:
            said = _PRE_LANGUAGE.search(opened[1])
            fence, language, start, inside = "<pre>", said[1].lower() if said else "", number, []
            line = " " * opened.end() + line[opened.end() :]
        if fence == "<pre>" and found:  # a fence within, or the end was forgotten
            fence = ""
        if fence == "<pre>":
            end = line.lower().find(_PRE_ENDS)
            inside.append(line if end < 0 else line[:end].rstrip().removesuffix("</code>"))
            if end >= 0:
                yield from _shell(language, start, inside)
                fence = ""
        elif not fence and (comment or not found):
            comment = _is_comment(line, comment)
        elif not fence and found:
            fence, language, start, inside = found[1], found[2].lower(), number + 1, []
        elif fence and found and found[1].startswith(fence) and not found[2]:
            yield from _shell(language, start, inside)
            fence = ""
        elif fence:
            inside.append(line)


def _shell(language: str, start: int, lines: list[str]) -> Iterator[Block]:
    if language in _LANGUAGES:
        yield Block(start, _WRAPPED.sub(r"\1 \\", _PROMPT.sub(r"\1 ", "\n".join(lines))))


def _is_comment(line: str, comment: bool) -> bool:
    """Does a comment go on behind a line? `comment`: did one before it? It starts a line, and ends one."""
    return (comment or line.lstrip(" \t>").startswith("<!--")) and "-->" not in line
