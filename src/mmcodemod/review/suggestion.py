"""A fix as a forge can take it over with a click: the new text of whole lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mmcodemod.engine.edited import NotEncodable, edited
from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import OverlappingEdits
from mmcodemod.model.grade import Applicability
from mmcodemod.report.diff import diff
from mmcodemod.report.escape import visible_lines
from mmcodemod.source.lines import raw_lines
from mmcodemod.source.tree import Tree, UnreadableFile, encoding_of, read_text

MOST_LINES = 100
"""More are no suggestion: GitLab takes 100 above and below, and nobody reads them in a comment."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Lines `first` to `last` (1-based) of `path` become `text`, whole lines; nothing when it is empty."""

    path: str
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class _Lines:
    """A run of whole lines, and what replaces it."""

    first: int
    last: int
    new: list[str]


def changed_lines(tree: Tree, finding: Finding) -> tuple[int, ...]:
    """First and last line of the finding's file that its fix touches; none when it touches other files, or
    when it is no suggestion at all."""
    whole = _replaced(tree, finding)
    return (whole.first, whole.last) if whole else ()


def suggestion(tree: Tree, finding: Finding, first: int, last: int) -> Suggestion | None:
    """The fix as new text of exactly the lines `first` to `last`; None when it is not within them."""
    whole = _replaced(tree, finding)
    if whole is None or not (first <= whole.first and whole.last <= last) or last - first >= MOST_LINES:
        return None
    lines = raw_lines(read_text(tree, finding.at.path))
    if last > len(lines):
        return None
    new = [*lines[first - 1 : whole.first - 1], *whole.new, *lines[whole.last : last]]
    text = "".join(new)
    return Suggestion(finding.at.path, first, last, text) if _survives(lines, first, last, text) else None


def patch(tree: Tree, finding: Finding) -> str:
    """The fix as a unified diff for people to read; empty when there is none."""
    after = _after(tree, finding)
    before = {path: tree.read_bytes(path) for path in after}
    return diff(before, after).decode("utf-8", "replace").replace("\r\n", "\n")


def _after(tree: Tree, finding: Finding) -> dict[str, bytes]:
    try:
        return edited(tree, [finding])
    except (OverlappingEdits, NotEncodable, UnreadableFile, IndexError):
        return {}


def _replaced(tree: Tree, finding: Finding) -> _Lines | None:
    """The lines that differ, when the fix stays within the finding's file."""
    after, path = _after(tree, finding), finding.at.path
    if set(after) != {path} or not _takes_whole_lines(tree, finding):
        return None
    old = raw_lines(read_text(tree, path))
    new = raw_lines(after[path].decode("utf-8", "replace"))
    same, most = 0, min(len(old), len(new))
    while same < most and old[same] == new[same]:
        same += 1
    tail = 0
    while tail < most - same and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return _widened(old, new, same, tail)


def _widened(old: list[str], new: list[str], same: int, tail: int) -> _Lines | None:
    """What is inserted needs a line that stays: the one before, or the first of the file."""
    if same + tail == len(old) == len(new):
        return None
    if same + tail < len(old):
        return _Lines(same + 1, len(old) - tail, new[same : len(new) - tail])
    if same:
        return _Lines(same, same, new[same - 1 : len(new) - tail])
    return _Lines(1, 1, new[: len(new) - tail + 1]) if old else None


def _takes_whole_lines(tree: Tree, finding: Finding) -> bool:
    """Forges write suggestions in UTF-8 and with line feeds: other files would be mixed."""
    path, fix = finding.at.path, finding.fix
    if fix is None or fix.applicability is Applicability.DISPLAY:
        return False
    data = tree.read_bytes(path)
    return encoding_of(path, data) in ("utf-8", "ascii") and b"\r" not in data


def _survives(lines: list[str], first: int, last: int, text: str) -> bool:
    """Does a comment carry the text as it is? Not what is invisible or would end a line elsewhere, nor a
    last line whose end comes or goes."""
    ends = lines[last - 1].endswith("\n") == text.endswith("\n") or (not text and last < len(lines))
    return ends and visible_lines(text) == text and not re.search("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text)
