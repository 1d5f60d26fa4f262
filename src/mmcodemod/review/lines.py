"""Where the lines of one version are in the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from mmcodemod.model.change import FileChange, Hunk
from mmcodemod.model.place import Place


@dataclass
class LineMap:
    """The lines of one file. `added` are new lines, `deleted` maps each old line that went to the new line
    that took its place, else to the nearest (0 when the file has no line left); all from 1."""

    hunks: tuple[Hunk, ...] = ()
    added: set[int] = field(default_factory=set)
    deleted: dict[int, int] = field(default_factory=dict)
    _runs: list[tuple[int, int]] = field(default_factory=lambda: [(1, 1)])  # unchanged from here: old, new

    def __post_init__(self) -> None:
        for hunk in self.hunks:
            self._read(hunk)

    def new(self, old: int) -> int | None:
        """The new number of an old line; None when it went."""
        return None if old in self.deleted else _shifted(self._runs, old)

    def old(self, new: int) -> int | None:
        """The old number of a new line; None when the change adds it."""
        return None if new in self.added else _shifted(self._back, new)

    def follow(self, old: int) -> int | None:
        """The same, or the line that took its place; None when none did."""
        successor = self.deleted.get(old)
        return self.new(old) if successor is None else successor if successor in self.added else None

    def hunk(self, new: int) -> Hunk | None:
        """The hunk that shows a new line."""
        shown = (h for h in self.hunks if h.new_start <= new < h.new_start + h.new_count)
        return next(shown, None)

    @cached_property
    def _back(self) -> list[tuple[int, int]]:
        return [(new, old) for old, new in self._runs]

    def _read(self, hunk: Hunk) -> None:
        old, new = hunk.old_start + (not hunk.old_count), hunk.new_start + (not hunk.new_count)
        gone: list[int] = []
        come: list[int] = []
        for line in hunk.lines:
            if line[0] == " ":
                self._replaced(gone, come, new, hunk)
                gone, come = [], []
                self._runs.append((old, new))
            elif line[0] == "-":
                gone.append(old)
            else:
                come.append(new)
            old, new = old + (line[0] != "+"), new + (line[0] != "-")
        self._replaced(gone, come, new, hunk)
        self._runs.append((old, new))

    def _replaced(self, gone: list[int], come: list[int], after: int, hunk: Hunk) -> None:
        """Lines that went, the lines that came in their place, and the line behind them."""
        self.added.update(come)
        last = hunk.new_start + max(hunk.new_count - 1, 0)
        for number, old in enumerate(gone):
            self.deleted[old] = come[min(number, len(come) - 1)] if come else min(after, last)


def _shifted(runs: list[tuple[int, int]], line: int) -> int:
    here, there = runs[bisect_right(runs, line, key=lambda run: run[0]) - 1]
    return line - here + there


@dataclass(frozen=True)
class Lines:
    """The lines of all files of a change."""

    changes: tuple[FileChange, ...]

    @cached_property
    def _maps(self) -> dict[str, LineMap]:
        return {change.new: LineMap(change.hunks) for change in self.changes if change.new}

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """Old path -> new path, "" for a deleted file; of files that keep their path nothing is said."""
        moves = [c for c in self.changes if c.old and c.old != c.new and not c.copied]
        return {change.old: change.new for change in moves}

    @cached_property
    def touched(self) -> frozenset[str]:
        """New paths of files with lines that changed."""
        return frozenset(path for path, lines in self._maps.items() if lines.hunks)

    def of(self, path: str) -> LineMap:
        """The lines of a file, by its new path."""
        return self._maps.get(path) or _UNCHANGED

    def path(self, old: str) -> str:
        """The new path of a file; "" when it is deleted."""
        return self.renamed.get(old, old)

    def moved(self, old: Place) -> Place | None:
        """Where a line of the base is now; None when it went. Only the line is kept."""
        path = self.path(old.path)
        line = self.of(path).new(old.line) if path else None
        return Place(path, line) if path and line else None

    def added(self, at: Place) -> list[int]:
        """The lines of a place in the new version that the change adds."""
        lines = self.of(at.path).added
        if not lines:
            return []
        return [line for line in range(at.line, at.last_line + 1) if line in lines]


_UNCHANGED = LineMap()
