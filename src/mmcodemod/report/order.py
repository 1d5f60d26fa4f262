"""The order in which every reporter shows things, whatever order they were found in."""

from __future__ import annotations

from collections.abc import Iterable

from mmcodemod.model.finding import Dismissal, Finding


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: (f.at, f.rule, f.message, f.symbol))


def ordered_dismissals(dismissed: Iterable[Dismissal]) -> list[Dismissal]:
    return sorted(dismissed, key=lambda d: (d.at, d.rule, d.reason))


def loudest(findings: Iterable[Finding]) -> list[Finding]:
    """Errors first, each severity in the order of `ordered`: for readers who see only the first ones."""
    return sorted(ordered(findings), key=lambda f: -f.severity.rank)
