"""What all parts of the page speak of: findings with the loudest first, and runs, each with a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Finding
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import Severity
from mmcodemod.model.report import Report
from mmcodemod.report.fingerprint import fingerprints
from mmcodemod.report.order import ordered
from mmcodemod.report.words import labels

WORDS = {"error": "error", "warning": "warning", "info": "note"}
"""Severities as people call them."""

LOUDEST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.INFO)


@frozen()
class Run:
    """A training context: its place among all, and its shortest name."""

    number: int
    context: Context
    label: str

    @property
    def strategy(self) -> str:
        return self.context.strategy.value


@frozen()
class Item:
    """A finding, its fingerprint, and the numbers of the runs that it is about."""

    finding: Finding
    mark: str
    runs: tuple[int, ...]

    @property
    def id(self) -> str:
        return f"f-{self.mark}"


@frozen()
class Shown:
    """A report made ready: every part of the page is a function of it. Findings that are about the same runs
    share a set; `sets` numbers these (and those of dismissals), `sets_of` has those of the findings of each
    run."""

    report: Report
    names: Mapping[str, str]
    items: tuple[Item, ...]
    runs: tuple[Run, ...]
    numbers: Mapping[str, int]  # of runs, by the id of the context
    sets: Mapping[tuple[int, ...], int]
    sets_of: Mapping[int, tuple[int, ...]]
    tallies: Mapping[int, Counter[Severity]]  # what the findings of a set are

    def runs_of(self, contexts: tuple[str, ...]) -> tuple[int, ...]:
        """The numbers of the runs that are known."""
        return _numbers(contexts, self.numbers)

    def loudness(self, run: Run) -> tuple[int, ...]:
        """How many errors, warnings and notes a run meets."""
        tallies = [self.tallies[number] for number in self.sets_of[run.number]]
        return tuple(sum(tally[severity] for tally in tallies) for severity in LOUDEST_FIRST)


def ready(report: Report, names: Mapping[str, str]) -> Shown:
    """Numbers runs by their id and findings by severity, then place."""
    known = labels(report.contexts)
    contexts = sorted(report.contexts, key=lambda c: c.id)
    runs = tuple(Run(number, context, known[context.id]) for number, context in enumerate(contexts))
    numbers = {run.context.id: run.number for run in runs}
    items = _items(report, numbers)
    every = {*(item.runs for item in items), *(_numbers(d.contexts, numbers) for d in report.dismissed)}
    sets = {runs: at for at, runs in enumerate(sorted(every))}
    tallies = _tallies(items, sets)
    met = {members: at for members, at in sets.items() if at in tallies}
    return Shown(report, names, items, runs, numbers, sets, _sets_of(len(runs), met), tallies)


def _sets_of(runs: int, sets: Mapping[tuple[int, ...], int]) -> dict[int, tuple[int, ...]]:
    found: dict[int, list[int]] = {number: [] for number in range(runs)}
    for members, at in sets.items():
        for number in members:
            found[number].append(at)
    return {number: tuple(some) for number, some in found.items()}


def _tallies(items: Iterable[Item], sets: Mapping[tuple[int, ...], int]) -> dict[int, Counter[Severity]]:
    found: dict[int, Counter[Severity]] = {}
    for item in items:
        found.setdefault(sets[item.runs], Counter())[item.finding.severity] += 1
    return found


def _items(report: Report, numbers: Mapping[str, int]) -> tuple[Item, ...]:
    findings = ordered(report.findings)
    made = [
        Item(finding, mark, _numbers(finding.contexts, numbers))
        for finding, mark in zip(findings, fingerprints(findings), strict=True)
    ]
    return tuple(sorted(made, key=lambda item: -item.finding.severity.rank))


def _numbers(contexts: tuple[str, ...], numbers: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(sorted({numbers[name] for name in contexts if name in numbers}))


def ranges(numbers: tuple[int, ...]) -> str:
    """`0-3,7` for 0, 1, 2, 3 and 7."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{first}-{last}" if first < last else f"{first}" for first, last in found)
