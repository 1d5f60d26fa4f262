"""A rule's answer for one context."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import held

AND = "; and "
"""Stands between open facts."""


@held(slots=True)
class Fatal:
    """All deciding facts of this context are proven."""

    why: Note | None = None


@held(slots=True)
class Unclear:
    """One deciding fact is unknown, or several joined by AND; `fact` completes "This depends on ...". It is a
    note, unless a rule says that it is `plausible`, and beside it why the fatal side is the likely one."""

    fact: str
    plausible: bool = False


@held(slots=True)
class Excluded:
    """This context is safe, because of `why`."""

    why: Note


Answer = Fatal | Unclear | Excluded


def doubt(answer: Answer) -> int:
    """How far from sure."""
    return 2 if isinstance(answer, Excluded) else int(isinstance(answer, Unclear))


def easiest(ways: Iterable[Answer], rank: Callable[[Answer], int] = doubt) -> Answer:
    """The first of the ways that rank lowest, fatal when there is none. A fatal one is the last asked for."""
    best: Answer | None = None
    for way in ways:
        if isinstance(way, Fatal):
            return way
        best = way if best is None or rank(way) < rank(best) else best
    return best or Fatal()
