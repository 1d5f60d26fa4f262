"""The composition of a review: both versions -> checks -> comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from mmcodemod import pipeline
from mmcodemod.engine.suppress import suppress, written
from mmcodemod.model.change import FileChange, Review, Silencing
from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.grade import Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.pipeline import Settings
from mmcodemod.report.order import ordered
from mmcodemod.review.beside import reports
from mmcodemod.review.compare import Comparison, Version
from mmcodemod.review.lines import Lines
from mmcodemod.source.cache import CachingTree
from mmcodemod.source.tree import Tree

Findings = tuple[Finding, ...]


@dataclass(frozen=True)
class Side:
    """One version of a tree; `problems` are those of finding its files."""

    name: str
    tree: Tree
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Change:
    """Both versions, and what git or a diff says of their difference. `unknown`: what could not be known,
    `folder`: where in its repository the tree lies."""

    base: Side
    head: Side
    files: tuple[FileChange, ...]
    unknown: tuple[str, ...] = ()
    folder: str = ""


@dataclass(frozen=True)
class Judging:
    """How to review. `settings` are those of the base, `names` maps the codes of all rules to their names.
    Findings below `lowest` are not told; `baseline` returns the findings that no baseline knows."""

    settings: Settings
    names: Mapping[str, str]
    lowest: Severity = Severity.WARNING
    baseline: Callable[[Findings], Findings] = tuple


def review(change: Change, judging: Judging) -> Review:
    """Check both versions and compare them."""
    settings = replace(judging.settings, suppressions=False)
    base, head = CachingTree(change.base.tree), CachingTree(change.head.tree)
    if change.files:
        old, new = reports(base, head, settings)
    else:
        old = new = pipeline.check(head, settings)
    change = replace(change, base=replace(change.base, tree=base), head=replace(change.head, tree=head))
    return _compared(change, judging, old, new)


def _compared(change: Change, judging: Judging, old: Report, new: Report) -> Review:
    lines = Lines(change.files)
    head = _version(change.head, new, judging, lambda at: not lines.added(Place(at.path, at.line)))
    base = _version(change.base, old, judging, lambda at: True)
    compared = Comparison(base, head, change.files, judging.lowest)
    found = compared.review(tuple(_silencings(change, lines)), change.unknown)
    fresh = frozenset(judging.baseline(head.report.findings))
    told = tuple(told for told in found.told if told.finding in fresh)
    notes = tuple(note for note in found.notes if note in fresh)
    return replace(found, told=told, notes=notes, folder=change.folder)


def _version(side: Side, report: Report, judging: Judging, counts: Callable[[Place], bool]) -> Version:
    """The findings of one side. `counts` says of which suppressions it is right that they silence."""
    settings = judging.settings
    every = suppress(side.tree, report.findings, judging.names, settings.selects)
    some = suppress(side.tree, report.findings, judging.names, settings.selects, counts)
    complaints = [f for f in every.unused if settings.keeps(f.rule, f.at.path)]
    whole = replace(
        report,
        findings=tuple(ordered([*some.kept, *complaints])),
        problems=tuple(sorted({*side.problems, *report.problems})),
    )
    return Version(side.name, whole, some.suppressed, frozenset(some.kept) - frozenset(every.kept))


def _silencings(change: Change, lines: Lines) -> Iterator[Silencing]:
    """The suppressions that the change adds; one that only moved within its file is none."""
    base = frozenset(change.base.tree.paths)
    for file in change.files:
        if not file.hunks or not file.new:
            continue
        old = written(change.base.tree, file.old) if file.old in base else []
        gone = Counter((o.names, o.reason) for o in old if o.at.line in lines.of(file.new).deleted)
        for one in written(change.head.tree, file.new):
            if lines.added(Place(one.at.path, one.at.line)):
                gone[one.names, one.reason] -= 1
                if gone[one.names, one.reason] < 0:
                    yield Silencing(one.at, one.names, one.reason)
