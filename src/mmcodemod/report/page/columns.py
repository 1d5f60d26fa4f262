"""The columns of the matrix: one a run, or, where there are many, one for all runs that meet the same
findings with the same strategy."""

from __future__ import annotations

from collections.abc import Sequence

from mmcodemod.model.context import Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.report.page.shown import Run, Shown

MOST_SINGLE = 20  # runs that each get a column of their own
MOST_COLUMNS = 48


@frozen()
class Column:
    """Runs that are alike, the first of them, and how many errors, warnings and notes they meet."""

    runs: tuple[Run, ...]
    loudness: tuple[int, ...]

    @property
    def first(self) -> Run:
        return self.runs[0]

    @property
    def strategy(self) -> str:
        return self.first.strategy


@frozen()
class Columns:
    """The columns, those of one strategy side by side, and how many runs have none."""

    kept: tuple[Column, ...]
    left_out: int

    def strategies(self) -> list[tuple[str, int, int]]:
        """Strategy, number of its columns and of its runs, in the order of the columns."""
        found = dict.fromkeys(column.strategy for column in self.kept)
        alike = {name: [c for c in self.kept if c.strategy == name] for name in found}
        return [(name, len(some), sum(len(c.runs) for c in some)) for name, some in alike.items()]


def columns(shown: Shown) -> Columns:
    """The loudest first, side by side with those of the same strategy; the others are left out when there are
    too many."""
    launched = [run for run in shown.runs if run.context.origin is not Origin.LIBRARY]
    made = [Column(some, shown.loudness(some[0])) for some in _alike(shown, launched)]
    loudest = sorted(made, key=lambda c: (tuple(-n for n in c.loudness), c.first.number))[:MOST_COLUMNS]
    order = list(dict.fromkeys(column.strategy for column in loudest))
    kept = sorted(loudest, key=lambda c: order.index(c.strategy))
    return Columns(tuple(kept), len(launched) - sum(len(c.runs) for c in kept))


def _alike(shown: Shown, runs: Sequence[Run]) -> list[tuple[Run, ...]]:
    """Runs that are in the same sets meet the same findings."""
    if len(runs) <= MOST_SINGLE:
        return [(run,) for run in runs]
    groups: dict[tuple[str, tuple[int, ...]], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.strategy, shown.sets_of[run.number]), []).append(run)
    return [tuple(group) for group in groups.values()]
