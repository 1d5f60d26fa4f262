"""What a comment takes from elsewhere: the page of a rule, and lines of the analysed code."""

from __future__ import annotations

import re

from mmcodemod.model.place import Place
from mmcodemod.review.markup import clipped, prose
from mmcodemod.review.posting import Subject
from mmcodemod.source.lines import lines_of
from mmcodemod.source.tree import UnreadableFile, read_text

_HEADINGS = ("What it checks", "Why it matters")
_MOST = 1200  # characters of one paragraph
_LINES = 30  # of a launch command, at most


def explained(page: str) -> str:
    """The first paragraphs of what a rule checks and why it matters; empty without a page."""
    found = [re.search(rf"^## {heading}\n+(.+?)(?:\n\n|\Z)", page, re.M | re.S) for heading in _HEADINGS]
    return "\n\n".join(prose(clipped(" ".join(one[1].split()), _MOST)) for one in found if one)


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
