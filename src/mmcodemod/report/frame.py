"""Code frames: the line of a finding and the one before, with a mark under the span."""

from __future__ import annotations

from mmcodemod.model.place import Place
from mmcodemod.report.colour import PLAIN, Palette
from mmcodemod.report.escape import visible, width
from mmcodemod.source.lines import lines_of
from mmcodemod.source.tree import Tree, UnreadableFile, read_text

COLUMNS = 96
_TAB = 4


def frame(tree: Tree, at: Place, label: str = "", palette: Palette = PLAIN) -> list[str]:
    """The frame, or nothing when the place cannot be shown (any more)."""
    try:
        lines = lines_of(read_text(tree, at.path))
    except UnreadableFile:
        return []
    if not 1 <= at.line <= len(lines):
        return []
    return _frame(lines, at, label, palette)


def _frame(lines: list[str], at: Place, label: str, palette: Palette) -> list[str]:
    digits = max(len(str(at.line)), 3)
    before = at.line - 1
    shown = []
    if before and lines[before - 1].strip():
        shown.append(_numbered(before, digits, _shortened(lines[before - 1], 0), palette))
    start = _window(lines[at.line - 1], at.column)
    shown.append(_numbered(at.line, digits, _shortened(lines[at.line - 1], start), palette))
    mark = _mark(lines[at.line - 1], at, start)
    gutter = " " * (digits + 1) + palette.paint("dim", " | ")
    return [*shown, f"{gutter}{palette.paint('error', mark)} {visible(label)}".rstrip()]


def _numbered(number: int, digits: int, text: str, palette: Palette) -> str:
    return f" {number:>{digits}}{palette.paint('dim', ' | ')}{text}".rstrip()


def _window(line: str, column: int) -> int:
    """The first character to show of a line that is too long to show whole."""
    return max(0, column - 1 - COLUMNS // 2) if len(line) > COLUMNS and column > COLUMNS * 3 // 4 else 0


def _shortened(line: str, start: int) -> str:
    part = line[start : start + COLUMNS]
    return ("…" if start else "") + _drawn(part) + ("…" if start + COLUMNS < len(line) else "")


def _mark(line: str, at: Place, start: int) -> str:
    begin = min(at.column - 1, len(line))
    end = at.end_column - 1 if at.end_line == at.line else len(line) if at.end_line > at.line else begin + 1
    last = min(end, start + COLUMNS, len(line))
    indent = width(_drawn(line[start:begin])) + (1 if start else 0)
    return " " * indent + "^" * max(1, width(_drawn(line[begin:last].rstrip())))


def _drawn(text: str) -> str:
    return "\t".join(map(visible, text.split("\t"))).replace("\t", " " * _TAB)
