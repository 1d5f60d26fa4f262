"""Where a comment can stand: lines of the new version that a change shows, within one hunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mmcodemod.model.change import FileChange, Hunk
from mmcodemod.model.place import Place


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the new version that a hunk shows. `old` is the line of the old version, and for an `added`
    one the next that comes there (as GitLab numbers them). Both are 1-based."""

    new: int
    old: int
    added: bool


@dataclass(frozen=True, slots=True)
class Spot:
    """Lines `first` to `last` of the file `path`, which was `old_path` before."""

    path: str
    old_path: str
    first: Line
    last: Line

    @property
    def lines(self) -> tuple[int, int]:
        return self.first.new, self.last.new


def spot(changes: Iterable[FileChange], at: Place | None, others: Iterable[int] = ()) -> Spot | None:
    """The spot of a place; of its last line when the rest lies in another hunk or in none, and None when the
    change does not show that line. `others`: lines to take in, when the same hunk shows them all."""
    change = None if at is None else next((c for c in changes if c.new == at.path), None)
    if at is None or change is None:
        return None
    for hunk in change.hunks:
        shown = {line.new: line for line in _lines(hunk)}
        if at.last_line in shown:
            first, last = _span(shown, at, tuple(others))
            return Spot(change.new, change.old or change.new, shown[first], shown[last])
    return _beginning(change, at)


def _beginning(change: FileChange, at: Place) -> Spot | None:
    """Its first line alone: the place is longer than what is shown."""
    for line in (line for hunk in change.hunks for line in _lines(hunk)):
        if line.new == at.line:
            return Spot(change.new, change.old or change.new, line, line)
    return None


def _span(shown: dict[int, Line], at: Place, others: tuple[int, ...]) -> tuple[int, int]:
    """First and last line: with the others, without them, or the last line alone."""
    wide = (min(at.line, *others), max(at.last_line, *others)) if others else (at.line, at.last_line)
    for first, last in (wide, (at.line, at.last_line)):
        if all(number in shown for number in range(first, last + 1)):
            return first, last
    return at.last_line, at.last_line


def _lines(hunk: Hunk) -> Iterator[Line]:
    """The lines of the new version. A hunk that takes no line of the old version starts behind the line that
    it names."""
    old = hunk.old_start + (1 if not hunk.old_count and hunk.old_start else 0)
    new = hunk.new_start
    for text in hunk.lines:
        if not text.startswith("-"):
            yield Line(new, old, text.startswith("+"))
            new += 1
        if not text.startswith("+"):
            old += 1
