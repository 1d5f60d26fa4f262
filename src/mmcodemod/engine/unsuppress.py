"""The fix of an idle suppression: the name goes, or the comment, or its whole line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mmcodemod.engine.comments import Comment
from mmcodemod.model.fix import Edit, Fix
from mmcodemod.model.grade import Applicability
from mmcodemod.model.pattern import regex

_NEXT = regex(r"\s#\s*[A-Za-z]")  # another comment behind ours, not "#3"


def removal(path: str, comment: Comment, mark: re.Match[str], lines: Sequence[str]) -> Edit | None:
    """Takes the whole suppression away, with its reason; None where its end is not on the line. `mark` is
    the match of the suppression in the text of `comment`, `lines` are those of the file."""
    line = lines[comment.line - 1]
    begin = comment.column - 1 + mark.start()
    end = _end(line, begin, comment.column - 1 + mark.end())
    if end is None:
        return None
    before, after = line[:begin].rstrip(), line[end:].lstrip()
    if not before and not after and comment.line < len(lines):
        return Edit(path, (comment.line, 1), (comment.line + 1, 1), "")
    keep_indent = len(line[:begin]) if not before and after else len(before)
    gap = (line[len(before) : begin] or " ") if before and after else ""
    return Edit(path, (comment.line, keep_indent + 1), (comment.line, len(line) - len(after) + 1), gap)


def _end(line: str, begin: int, bracket: int) -> int | None:
    """Where the suppression ends (an index): at the next comment, behind `*/`, or with the line."""
    if line.startswith("/*", begin):
        closed = line.find("*/", bracket)
        return closed + 2 if closed >= 0 else None
    following = _NEXT.search(line, bracket)
    return following.start() if following else len(line)


def fix(idle: Sequence[str], names: Sequence[str], bracket: Edit, whole: Edit | None) -> Fix | None:
    """The fix of a comment of which `idle` silence nothing. `bracket` replaces what stands in the brackets,
    `whole` the comment."""
    left = [name for name in names if name not in idle]
    if left:
        edit = Edit(bracket.path, bracket.start, bracket.end, ", ".join(dict.fromkeys(left)))
        return Fix(f"remove {', '.join(idle)} from this comment", Applicability.SAFE, (edit,))
    return Fix("remove this comment", Applicability.SAFE, (whole,)) if whole else None
