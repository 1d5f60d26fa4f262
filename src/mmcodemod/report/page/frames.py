"""Code frames: lines of a file around a place, with its span marked."""

from __future__ import annotations

from mmcodemod.model.place import Place
from mmcodemod.report.page.element import EMPTY, Html, element, joined, shown
from mmcodemod.source.lines import lines_of
from mmcodemod.source.tree import Tree, UnreadableFile, read_text

AROUND = 4  # lines before and behind the span
LONGEST = 20  # lines of a span
WIDEST = 240  # characters of a line
ROOM = 4_000_000  # characters that all frames of a page may take together


class Frames:
    """Makes frames as long as there is room, and counts those that are left out."""

    def __init__(self, tree: Tree, room: int = ROOM) -> None:
        self._tree, self._room = tree, room
        self._lines: dict[str, list[str]] = {}
        self.left_out = 0

    def frame(self, at: Place) -> Html:
        """The frame of a place; empty when the file has no such line, or when there is no room."""
        lines = self.lines(at.path)
        if not 1 <= at.line <= len(lines):
            return EMPTY
        if self._room <= 0:
            self.left_out += 1
            return EMPTY
        made = _frame(lines, at)
        self._room -= len(made)
        return made

    def lines(self, path: str) -> list[str]:
        """The lines of a file; none when it cannot be read (any more)."""
        if path not in self._lines:
            try:
                self._lines[path] = lines_of(read_text(self._tree, path))
            except UnreadableFile:
                self._lines[path] = []
        return self._lines[path]


def _frame(lines: list[str], at: Place) -> Html:
    last = min(at.last_line, at.line + LONGEST - 1, len(lines))
    numbers = range(max(1, at.line - AROUND), min(len(lines), last + AROUND) + 1)
    start = _window(lines[at.line - 1], at.column)
    rows = joined(_row(number, lines[number - 1], at, start) for number in _trimmed(numbers, lines, at, last))
    return element("pre", rows, class_="code")


def _trimmed(numbers: range, lines: list[str], at: Place, last: int) -> range:
    """Without empty lines at both ends."""
    first, end = numbers.start, numbers.stop
    while first < at.line and not lines[first - 1].strip():
        first += 1
    while end - 1 > last and not lines[end - 2].strip():
        end -= 1
    return range(first, end)


def _window(line: str, column: int) -> int:
    """The first character to show, where the place lies far to the right of a very long line."""
    return max(0, column - 1 - WIDEST // 4) if len(line) > WIDEST and column > WIDEST * 3 // 4 else 0


def _row(number: int, line: str, at: Place, start: int) -> Html:
    stop = start + WIDEST
    before, behind = "…" if start else "", "…" if len(line) > stop else ""
    if not at.covers(number):
        return element("span", before, _code(line[start:stop]), behind, data_n=number)
    begin, end = (min(max(edge, start), stop) for edge in _marked(number, line, at))
    mark = element("mark", _code(line[begin:end])) if begin < end else EMPTY
    parts = (before, _code(line[start:begin]), mark, _code(line[end:stop]), behind)
    return element("span", *parts, data_n=number, class_="hit")


def _marked(number: int, line: str, at: Place) -> tuple[int, int]:
    """Where the mark begins and ends in a line of the span, without its indentation; nothing where only the
    start of the span is known."""
    begin = at.column - 1 if number == at.line else len(line) - len(line.lstrip())
    end = at.end_column - 1 if number == at.end_line else len(line.rstrip())
    return begin, end if at.end_line else begin


def _code(text: str) -> Html:
    """As `shown`, with tabs."""
    return Html("\t".join(map(shown, text.split("\t"))))
