"""The pages of rules: the part of Markdown that they are written in. No links, no images, no HTML."""

from __future__ import annotations

import re
from collections.abc import Callable

from mmcodemod.model.pattern import regex
from mmcodemod.report.page.element import Html, element, joined
from mmcodemod.report.page.patch import coloured, preformatted

_INLINE = regex(r"`([^`]+)`|\*\*([^*]+)\*\*")
_BULLET, _NUMBER = regex(r"[-*] +"), regex(r"\d+\. +")
_HEADING = regex(r"#+ +")
_RULED = regex(r"\|[-:| ]+\|?")


def rendered(text: str) -> Html:
    """The blocks of a page; its title is left out."""
    lines = text.splitlines()
    blocks, at = [], 0
    while at < len(lines):
        if not lines[at].strip() or lines[at].startswith("# "):
            at += 1
            continue
        block, at = _reader(lines[at])(lines, at)
        blocks.append(block)
    return joined(blocks)


Reader = Callable[[list[str], int], tuple[Html, int]]
"""Makes a block of the lines from a number on; says where the next begins."""


def _reader(line: str) -> Reader:
    if line.startswith("```"):
        return _fence
    if _HEADING.match(line):
        return _heading
    if line.startswith("|"):
        return _table
    if _BULLET.match(line):
        return _bullets
    return _numbers if _NUMBER.match(line) else _paragraph


def _heading(lines: list[str], at: int) -> tuple[Html, int]:
    return element("h4", lines[at].lstrip("#").strip()), at + 1


def _fence(lines: list[str], at: int) -> tuple[Html, int]:
    language = lines[at].strip("` ").partition(" ")[0]
    end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("```")), len(lines))
    code = lines[at + 1 : end]
    return coloured(code) if language == "diff" else preformatted(code), end + 1


def _paragraph(lines: list[str], at: int) -> tuple[Html, int]:
    end = _end(lines, at, _paragraph)
    return element("p", _inline(lines[at:end])), end


def _bullets(lines: list[str], at: int) -> tuple[Html, int]:
    return _list(lines, at, _end(lines, at, _bullets), _BULLET, "ul")


def _numbers(lines: list[str], at: int) -> tuple[Html, int]:
    return _list(lines, at, _end(lines, at, _numbers), _NUMBER, "ol")


def _list(lines: list[str], at: int, end: int, begins: re.Pattern[str], kind: str) -> tuple[Html, int]:
    items: list[list[str]] = []
    for line in lines[at:end]:
        mark = begins.match(line)
        if mark:
            items.append([line[mark.end() :]])
        else:
            items[-1].append(line)
    return element(kind, *(element("li", _inline(item)) for item in items)), end


def _table(lines: list[str], at: int) -> tuple[Html, int]:
    end = next((n for n in range(at, len(lines)) if not lines[n].startswith("|")), len(lines))
    rows = [line for line in lines[at:end] if not _RULED.fullmatch(line.strip())]
    head = element("thead", *(_row(row, "th") for row in rows[:1]))
    body = element("tbody", *(_row(row, "td") for row in rows[1:]))
    return element("div", element("table", head, body), class_="scroll"), end


def _row(line: str, kind: str) -> Html:
    cells = line.strip().strip("|").split("|")
    return element("tr", *(element(kind, _inline([cell])) for cell in cells))


def _end(lines: list[str], at: int, reader: Reader) -> int:
    """Where a paragraph or a list ends: at an empty line, or where another block begins."""
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if not line.strip() or _reader(line) not in (reader, _paragraph):
            return number
    return len(lines)


def _inline(lines: list[str]) -> Html:
    """Text with code and strong words."""
    parts = _INLINE.split(" ".join(line.strip() for line in lines))
    made: list[str] = []
    for text, code, strong in zip(parts[::3], [*parts[1::3], None], [*parts[2::3], None]):
        made.append(text)
        made += [element("code", code)] if code else [element("strong", strong)] if strong else []
    return joined(made)
