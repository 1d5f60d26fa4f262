"""Which fixes are wanted: all that may be written, those of some runs, those that somebody chose."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

from mmcodemod.engine.called import context_ids
from mmcodemod.engine.identity import Key, key
from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import Fix
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.report import Report
from mmcodemod.source.tree import Tree

Choose = Callable[[Finding, Tree], "Fix | None"]
"""Which fix of a finding is wanted, if any, in the tree as it is now."""

Plan = Callable[[Report, Tree], Choose]
"""Chooses after the first check. Later rounds find the same findings, on other lines."""


def every(unsafe: bool, notes: Container[str] = ()) -> Plan:
    """Every fix that may be written."""

    def choose(finding: Finding, tree: Tree) -> Fix | None:
        return finding.fix if writable(finding, unsafe, notes) else None

    return lambda report, tree: choose


def writable(finding: Finding, unsafe: bool, notes: Container[str] = ()) -> bool:
    """May the fix of a finding be written? That of a note only when its rule is among `notes`."""
    fix = finding.fix
    if fix is None or not fix.edits or not wanted(finding, notes):
        return False
    return fix.applicability is Applicability.SAFE or (unsafe and fix.applicability is Applicability.UNSAFE)


def wanted(finding: Finding, notes: Container[str]) -> bool:
    """Is it more than a note, or one of a rule whose notes are wanted?"""
    return finding.severity is not Severity.INFO or finding.rule in notes


def within(names: Sequence[str], plan: Plan) -> Plan:
    """What `plan` chooses among the findings of these contexts. It is verified for all contexts.

    Raises (when it is carried out):
        UnknownContext: for a name that means none, or several.
    """

    def carried_out(report: Report, tree: Tree) -> Choose:
        about = of_contexts(names, report)
        choose = plan(replace(report, findings=tuple(filter(about, report.findings))), tree)
        return lambda finding, tree: choose(finding, tree) if about(finding) else None

    return carried_out


def of_contexts(names: Sequence[str], report: Report) -> Callable[[Finding], bool]:
    """Is a finding, of this report or of a later one, about one of these contexts? Without names all are.

    Raises:
        UnknownContext: for a name that means none, or several.
    """
    if not names:
        return lambda finding: True
    ids = context_ids(names, report.contexts)
    meant = {key(f) for f in report.findings if not ids.isdisjoint(f.contexts)}
    return lambda finding: key(finding) in meant


def take(finding: Finding, tree: Tree) -> Fix | None:
    """The decision to apply the fix that a finding has."""
    return finding.fix


def decided(answers: Mapping[Finding, Choose]) -> Choose:
    """What somebody decided for findings of the first check. Of several that cannot be told apart once lines
    have moved, the decision holds later on only when it is the same for all of them."""
    by_key: dict[Key, set[Choose]] = defaultdict(set)
    for finding, answer in answers.items():
        by_key[key(finding)].add(answer)

    def choose(finding: Finding, tree: Tree) -> Fix | None:
        if finding in answers:
            return answers[finding](finding, tree)
        same = by_key.get(key(finding), set())
        return next(iter(same))(finding, tree) if len(same) == 1 else None

    return choose
