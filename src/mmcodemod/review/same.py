"""Which finding, and which run, of the base is which of the new version."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Finding
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.report.fingerprint import identity
from mmcodemod.review.lines import Lines

T = TypeVar("T")

_RUN = regex(r"(?P<path>.*):(?P<line>\d+)(?P<number>#\d+)?", re.DOTALL)


def same_findings(base: Sequence[Finding], head: Sequence[Finding], lines: Lines) -> dict[Finding, Finding]:
    """Finding of the new version -> the same at the base. Equal findings of a file are counted: first those
    whose line is the same, then in order. Then those whose code moved to another file."""
    found: dict[Finding, Finding] = {}
    for olds, news in _groups(base, head, lambda f: identity(_renamed(f, lines)), identity):
        found |= _by_line(olds, news, lines)
    gone = [f for f in _left(base, found.values()) if lines.moved(f.at) is None]
    come = [f for f in _left(head, found) if lines.added(f.at)]
    for olds, news in _groups(gone, come, _portable, _portable):
        found |= dict(zip(news, olds))
    return found


def same_runs(base: Iterable[Context], head: Iterable[Context], lines: Lines) -> dict[str, str]:
    """Id of a run at the base -> its id in the new version. Ids hold the line of the launch command: a line
    that is edited is the same run; so is, in order, what starts the same program from the same file."""
    olds, news = {c.id: c for c in base}, {c.id: c for c in head}
    found = {old: new for old in olds if (new := carried(old, lines)) in news}
    taken = set(found.values())
    left_old = [c for i, c in olds.items() if i not in found]
    left_new = [c for i, c in news.items() if i not in taken]
    starts = lambda c: _start(c, lines.path), lambda c: _start(c, str)
    for ones, others in _groups(left_old, left_new, *starts):
        found |= {one.id: other.id for one, other in zip(ones, others)}
    return found


def carried(run: str, lines: Lines) -> str:
    """The id of a run of the base in the new version; "" when its line or file went."""
    found = _RUN.fullmatch(run)
    if found is None:
        return lines.path(run)
    path = lines.path(found["path"])
    line = lines.of(path).follow(int(found["line"]))
    return f"{path}:{line}{found['number'] or ''}" if path and line else ""


def _start(context: Context, path: Callable[[str], str]) -> tuple[str, str, str]:
    """Where a run is launched, and what it starts."""
    at, entry = context.begins, context.entry
    return path(at.path) if at else "", path(entry.path) if entry else "", entry.symbol if entry else ""


def _renamed(finding: Finding, lines: Lines) -> Finding:
    return replace(finding, at=replace(finding.at, path=lines.path(finding.at.path)))


def _portable(finding: Finding) -> tuple[str, str, str]:
    rule, _, symbol, anchor = identity(finding)
    return rule, symbol, anchor


def _groups(
    base: Iterable[T], head: Iterable[T], old: Callable[[T], object], new: Callable[[T], object]
) -> Iterable[tuple[list[T], list[T]]]:
    """What has one key on both sides."""
    olds: dict[object, list[T]] = {}
    news: dict[object, list[T]] = {}
    for one in base:
        olds.setdefault(old(one), []).append(one)
    for one in head:
        news.setdefault(new(one), []).append(one)
    return [(olds[key], news[key]) for key in news if key in olds]


def _by_line(olds: list[Finding], news: list[Finding], lines: Lines) -> dict[Finding, Finding]:
    """First those whose line is the same, then in order."""
    found: dict[Finding, Finding] = {}
    waiting = {lines.moved(old.at): old for old in olds}
    for new in news:
        old = waiting.pop(Place(new.at.path, new.at.line), None)
        if old is not None:
            found[new] = old
    return {**found, **dict(zip(_left(news, found), _left(olds, found.values())))}


def _left(every: Iterable[Finding], taken: Iterable[Finding]) -> list[Finding]:
    gone = set(taken)
    return [one for one in every if one not in gone]
