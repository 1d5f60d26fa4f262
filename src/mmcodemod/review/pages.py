"""What a comment takes from elsewhere: the page of a rule, and lines of the analysed code."""

from __future__ import annotations

import re

from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.report.markup import clipped, fenced, prose
from mmcodemod.review.posting import Subject
from mmcodemod.source.lines import lines_of
from mmcodemod.source.tree import UnreadableFile, read_text

_HEADINGS = ("Why it matters", "What it checks")
"""What a user sees; a page without it says at least which places are meant."""
_IGNORED = "When to ignore it"
_BLOCK = regex(r"```\w*\n.*?\n```|\S.*?(?=\n\n|\Z)", re.DOTALL)
_MOST = 1200  # characters of one paragraph
_LINES = 30  # of a launch command, at most


def explained(page: str) -> str:
    """What a rule is about in a sentence, the first paragraph of why it matters, with what it announces (a
    list, a block of code, a table), and of when to ignore it; empty without a page."""
    sections = [text for heading in _HEADINGS if (text := _section(page, heading))][:1]
    sentence = re.match(r"# [^\n]*\n+([^#\n].*?)(?=\n\n|\Z)", page, re.S)
    told = [sentence[1], *sections] if sentence else sections
    ignored = _section(page, _IGNORED)
    last = [f"{_IGNORED}: {_beginning(ignored)}"] if ignored else []
    return "\n\n".join([*(_beginning(text.strip()) for text in told), *last])


def _section(page: str, heading: str) -> str:
    found = re.search(rf"^## {heading}\n+(.+?)(?=\n## |\Z)", page, re.M | re.S)
    return found[1].strip() if found else ""


def _beginning(section: str) -> str:
    """The first paragraph, with what it announces; a sentence that a block of code interrupts goes on."""
    first, *rest = _BLOCK.findall(section)
    inside = bool(rest) and first[-1].isalnum() and rest[0].startswith("```")
    announced = rest[:1] if inside or first.endswith(":") else []
    goes_on = rest[1:2] if inside and "".join(rest[1:2])[:1].islower() else []
    return "\n\n".join(map(_block, [first, *announced, *goes_on]))


def _block(text: str) -> str:
    """A paragraph on one line, a list with one for each item; forges would break it where the page does."""
    if text.startswith("```"):
        return fenced("\n".join(text.split("\n")[1:-1]))
    if text.startswith("|"):
        return "\n".join(map(_cells, text.split("\n")))
    items = re.split(r"^- ", text, flags=re.M)
    return "\n- ".join(prose(clipped(" ".join(item.split()), _MOST)) for item in items).strip()


def _cells(row: str) -> str:
    cells = [prose(cell) for cell in row.strip("|").split("|")]
    return row if set(row) <= set("|-") else f"| {' | '.join(cells)} |"


def quotes(note: str, at: Place, subject: Subject) -> bool:
    """Is it the command of a run, or what the source says from this line on?"""
    text = " ".join(note.removesuffix("...").split())
    commands = (c.command for c in subject.review.report.contexts if c.begins == at)
    if any(" ".join(command.split()).startswith(text) for command in commands if text):
        return True
    try:
        lines = lines_of(read_text(subject.tree, at.path))[max(at.line - 1, 0) :][:_LINES]
    except UnreadableFile:
        return False
    source = " ".join(" ".join(line.removesuffix("\\") for line in lines).split())
    return bool(text) and text in source
