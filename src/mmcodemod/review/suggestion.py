"""A fix as a forge can take it over with a click: the new text of whole lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mmcodemod.engine.edited import NotEncodable, apart, edited
from mmcodemod.engine.verify import broken
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


def joint(tree: Tree, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those whose fixes are shown as one: all that can be taken over, when they do not touch each other and
    break no file together; else the first, alone. None when the first has no fix."""
    first = findings[0]
    if first.fix is None or first.fix.applicability is Applicability.DISPLAY:
        return (first,) if first.fix else ()
    fixable = tuple(f for f in findings if f.fix and f.fix.applicability is not Applicability.DISPLAY)
    after = {} if apart((), fixable)[1] else _after(tree, fixable)
    return fixable if after and not broken(tree, after, fixable) else (first,)


def changed_lines(tree: Tree, path: str, findings: Sequence[Finding]) -> tuple[int, ...]:
    """First and last line of a file that these fixes touch; none when they touch other files, or when they
    are no suggestion at all."""
    whole = _replaced(tree, path, findings)
    return (whole.first, whole.last) if whole else ()


def suggestion(
    tree: Tree, path: str, findings: Sequence[Finding], first: int, last: int
) -> Suggestion | None:
    """The fixes as new text of exactly the lines `first` to `last`; None when they are not within them."""
    whole = _replaced(tree, path, findings)
    if whole is None or not (first <= whole.first and whole.last <= last) or last - first >= MOST_LINES:
        return None
    lines = raw_lines(read_text(tree, path))
    if last > len(lines):
        return None
    new = [*lines[first - 1 : whole.first - 1], *whole.new, *lines[whole.last : last]]
    text = "".join(new)
    return Suggestion(path, first, last, text) if _survives(lines, first, last, text) else None


def patch(tree: Tree, findings: Sequence[Finding]) -> str:
    """The fixes as a unified diff for people to read; empty when there is none."""
    after = _after(tree, findings)
    before = {path: tree.read_bytes(path) for path in after}
    return diff(before, after).decode("utf-8", "replace").replace("\r\n", "\n")


def _after(tree: Tree, findings: Sequence[Finding]) -> dict[str, bytes]:
    try:
        return edited(tree, findings)
    except (OverlappingEdits, NotEncodable, UnreadableFile, IndexError):
        return {}


def _replaced(tree: Tree, path: str, findings: Sequence[Finding]) -> _Lines | None:
    """The lines that differ, when the fixes stay within one file."""
    after = _after(tree, findings)
    if set(after) != {path} or not _takes_whole_lines(tree, path):
        return None
    if any(f.fix and f.fix.applicability is Applicability.DISPLAY for f in findings):
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


def _takes_whole_lines(tree: Tree, path: str) -> bool:
    """Forges write suggestions in UTF-8 and with line feeds: other files would be mixed."""
    data = tree.read_bytes(path)
    return encoding_of(path, data) in ("utf-8", "ascii") and b"\r" not in data


def _survives(lines: list[str], first: int, last: int, text: str) -> bool:
    """Does a comment carry the text as it is? Not what is invisible or would end a line elsewhere, nor a
    last line whose end comes or goes."""
    ends = lines[last - 1].endswith("\n") == text.endswith("\n") or (not text and last < len(lines))
    return ends and visible_lines(text) == text and not re.search("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text)
