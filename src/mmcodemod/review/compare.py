"""What a change brings and takes away: the reports of both versions, compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from mmcodemod.model.change import READ_BADLY, FileChange, Mended, News, Review, Silencing, Told, unread
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.grade import Severity
from mmcodemod.model.report import Report
from mmcodemod.report.fingerprint import fingerprints
from mmcodemod.report.order import ordered
from mmcodemod.review.lines import Lines
from mmcodemod.review.same import carried, same_findings, same_runs
from mmcodemod.review.spot import Causes
from mmcodemod.review.stopped import Stops

_NOT_READ = (*READ_BADLY, "link")


@dataclass(frozen=True)
class Version:
    """One side of a change. `name` is for people, `report` holds what counts, `silenced` what suppressions of
    this version silence; at the new version `hidden` is what only those hide that the change adds."""

    name: str
    report: Report
    silenced: tuple[Finding, ...] = ()
    hidden: frozenset[Finding] = frozenset()


@dataclass(frozen=True)
class Comparison:
    """Both sides, and the lines between them. `lowest`: findings below this severity are not told."""

    base: Version
    head: Version
    changes: tuple[FileChange, ...]
    lowest: Severity = Severity.WARNING

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.changes)

    def review(self, silenced: Sequence[Silencing] = (), unknown: Sequence[str] = ()) -> Review:
        """What there is to say."""
        return Review(
            self.base.name,
            self.head.name,
            tuple(sorted(self.told(), key=_place)),
            tuple(mended for mended in self.mended() if not self._is_gone(mended)),
            tuple(silenced),
            (*self._stops.sentences(), *unknown, *self._not_known()),
            self._problems,
            self.changes,
            self.head.report,
            gone=tuple(filter(self._is_gone, self.mended())),
            notes=tuple(self.notes()),
            stopped=tuple(sorted({stop.at for stop in self._stops.found()})),
        )

    def told(self) -> Iterator[Told]:
        """The findings that the change brings."""
        findings = ordered(self.head.report.findings)
        for finding, mark in zip(findings, fingerprints(findings), strict=True):
            if finding.severity.rank >= self.lowest.rank and (new := self._new_runs(finding)) is not None:
                yield self._told(finding, mark, new)

    def notes(self) -> Iterator[Finding]:
        """Those that it brings as well, and that are too low to be told."""
        for finding in ordered(self.head.report.findings):
            if finding.severity.rank < self.lowest.rank and self._new_runs(finding) is not None:
                yield finding

    def mended(self) -> Iterator[Mended]:
        """The findings of the base that the new version lacks. Of what cannot be read nothing is known."""
        findings = ordered(self.base.report.findings)
        now = {old: new for new, old in self._same.items()}
        unread = {*self._stops.unusable, *(p.path for p in self._problems if p.kind in _NOT_READ)}
        broken = {p.message.split(" ")[0] for p in self._problems if p.kind == "rule"}
        for finding, mark in zip(findings, fingerprints(findings), strict=True):
            path = self.lines.path(finding.at.path)
            loud = finding.severity.rank >= self.lowest.rank
            left = now.get(finding)
            still = left is not None and left.severity.rank >= self.lowest.rank
            if loud and not still and path not in unread and finding.rule not in broken:
                yield Mended(finding, mark)

    def _is_gone(self, mended: Mended) -> bool:
        """Did it go with its file, or with all its runs?"""
        runs, stopped = set(mended.finding.contexts), {stop.run for stop in self._stops.found()}
        return not self.lines.path(mended.finding.at.path) or bool(runs and runs <= stopped)

    @cached_property
    def _stops(self) -> Stops:
        old, new = self.base.report.contexts, self.head.report.contexts
        return Stops(self.lines, old, new, self._runs, self._problems)

    @cached_property
    def _same(self) -> dict[Finding, Finding]:
        return same_findings(_every(self.base), _every(self.head), self.lines)

    @cached_property
    def _runs(self) -> dict[str, str]:
        return same_runs(self.base.report.contexts, self.head.report.contexts, self.lines)

    @cached_property
    def _causes(self) -> Causes:
        olds = {context.id: context for context in self.base.report.contexts}
        before = {new: olds[old] for old, new in self._runs.items()}
        return Causes(self.lines, before, self.base.report.dismissed)

    @cached_property
    def _problems(self) -> tuple[Problem, ...]:
        """Those of the new version that the base has not."""
        known = {(self.lines.path(p.path), p.kind, p.message) for p in self.base.report.problems}
        return tuple(p for p in self.head.report.problems if (p.path, p.kind, p.message) not in known)

    def _new_runs(self, finding: Finding) -> tuple[str, ...] | None:
        """The runs for which a finding is news; None when it is none."""
        old = self._same.get(finding)
        if old is None:
            return finding.contexts
        if old in self._silent:
            return None if finding in self.head.hidden else finding.contexts
        if finding.severity.rank > old.severity.rank:
            return finding.contexts
        known = {self._runs.get(run) or carried(run, self.lines) for run in old.contexts}
        return tuple(run for run in finding.contexts if run not in known) or None

    @cached_property
    def _silent(self) -> frozenset[Finding]:
        return frozenset(self.base.silenced)

    def _told(self, finding: Finding, mark: str, new: tuple[str, ...]) -> Told:
        own = None if finding in self._same else self._causes.introduced(finding)
        if own is not None:
            return Told(finding, mark, News.INTRODUCED, own, new)
        return Told(finding, mark, News.ACTIVATED, self._causes.activated(finding, self._contexts(new)), new)

    def _contexts(self, runs: Iterable[str]) -> list[Context]:
        wanted = set(runs)
        return [context for context in self.head.report.contexts if context.id in wanted]

    def _not_known(self) -> Iterator[str]:
        told = {stop.path for stop in self._stops.found()}
        for problem in self._problems:
            if problem.kind in READ_BADLY and problem.path not in told:
                yield unread(problem)
        old = {p.path: p for p in self.base.report.problems if p.kind in _NOT_READ}
        still = {p.path for p in self.head.report.problems}
        for path, problem in sorted(old.items()):
            if self.lines.path(path) and self.lines.path(path) not in still:
                yield f"{path} cannot be read at the base ({problem.message}): what is in it counts as new."


def _every(version: Version) -> list[Finding]:
    return ordered([*version.report.findings, *version.silenced])


def _place(told: Told) -> tuple[object, ...]:
    return (told.at or told.finding.at, told.finding.at, told.finding.rule, told.fingerprint)
