"""What `fix` did or would do: for people, file by file, or as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.report import json
from mmcodemod.report.colour import PLAIN, Palette
from mmcodemod.report.escape import visible
from mmcodemod.report.order import ordered
from mmcodemod.report.words import count
from mmcodemod.report.wrapped import paragraph

Findings = tuple[Finding, ...]
Refused = Sequence[tuple[Finding, str]]


@dataclass(frozen=True)
class Outcome:
    """`changed` files; findings that are `fixed`, with those whose own fix was `applied`, and those that are
    `left`; `refused`: findings of `left` whose fix did not hold, with the reason."""

    changed: Mapping[str, bytes]
    applied: Findings
    fixed: Findings
    left: Findings
    refused: Refused = ()


def summary(outcome: Outcome, applied: bool) -> str:
    """`would fix 3 findings in 2 files (--apply writes them) · 2 findings left, 1 by hand, 1 note`."""
    rest = ", ".join([f" · {count(len(outcome.left), 'finding')} left", *_remaining(outcome)])
    rest = rest if outcome.left else ""
    if not outcome.changed:
        return f"nothing to fix{rest}"
    what = f"{count(len(outcome.fixed), 'finding')} in {count(len(outcome.changed), 'file')}"
    return f"fixed {what}{rest}" if applied else f"would fix {what} (--apply writes them){rest}"


def told(outcome: Outcome, names: Mapping[str, str], palette: Palette = PLAIN, columns: int = 100) -> str:
    """What was changed and why, and what was not and why not. Places of changes are those before the fix."""
    blocks = [_change(f, names, palette, columns) for f in ordered(outcome.applied)]
    left = not_fixed(outcome, names, palette)
    blocks += ["\n".join(left) + "\n"] if left else []
    return "\n".join(blocks) + ("\n" if blocks else "")


def planned(outcome: Outcome, names: Mapping[str, str], palette: Palette = PLAIN) -> list[str]:
    """A line for each finding that would be fixed: by its own fix, or by that of another."""
    own = set(outcome.applied)
    return [f"{_head(f, names, palette)}: {_how(f, own)}" for f in ordered(outcome.fixed)]


def not_fixed(outcome: Outcome, names: Mapping[str, str], palette: Palette = PLAIN) -> list[str]:
    """A line for each finding that is left, with the reason; none for notes."""
    reasons = dict(outcome.refused)
    left = ordered(_loud(outcome.left))
    rows = [f"  {_head(f, names, palette)}  {visible(_why_not(f, reasons))}" for f in left]
    return ["not fixed", *rows] if rows else []


def render(
    outcome: Outcome,
    problems: tuple[Problem, ...],
    names: Mapping[str, str],
) -> str:
    """The same as JSON."""
    refused: list[json.Value] = [
        {"rule": f.rule, "path": f.at.path, "line": f.at.line, "reason": reason}
        for f, reason in outcome.refused
    ]
    parts: json.Object = {
        "changed": list[json.Value](sorted(outcome.changed)),
        "applied": json.findings(outcome.applied, names),
        "fixed": json.findings(outcome.fixed, names),
        "left": json.findings(outcome.left, names),
        "refused": refused,
        "problems": json.problems(problems),
    }
    return json.dump({**json.header(), **parts})


def _loud(findings: Iterable[Finding]) -> Findings:
    """Notes are shown, never written."""
    return tuple(f for f in findings if f.severity is not Severity.INFO)


def _head(finding: Finding, names: Mapping[str, str], palette: Palette) -> str:
    """`ds.json:3  MM303 ds-gradient-clipping-absent`."""
    name = names.get(finding.rule, "")
    return f"{palette.paint('bold', visible(str(finding.at)))}  {finding.rule} {name}".rstrip()


def _how(finding: Finding, own: Collection[Finding]) -> str:
    return visible(finding.fix.title) if finding.fix and finding in own else "gone with another fix"


def _remaining(outcome: Outcome) -> Iterator[str]:
    """`1 fixable with --unsafe`, `2 by hand`, ...: every finding that is left is in one of them."""
    reasons = dict(outcome.refused)
    loud = _loud(outcome.left)
    kinds = Counter(_why_not(f, reasons).partition(":")[0] for f in loud)
    for kind, words in _KINDS.items():
        if kinds[kind]:
            yield f"{kinds[kind]} {words}"
    if len(loud) < len(outcome.left):
        yield count(len(outcome.left) - len(loud), "note")


_KINDS = {
    "needs --unsafe": "fixable with --unsafe",
    "not chosen": "not chosen",
    "by hand": "by hand",
    "its fix does not hold": "whose fix does not hold",
    "no fix is offered": "without a fix",
}
"""Reasons of `_why_not`, in the words of the summary."""


def _change(finding: Finding, names: Mapping[str, str], palette: Palette, columns: int) -> str:
    fix = finding.fix
    others = sorted({edit.path for edit in fix.edits} - {finding.at.path}) if fix else []
    lines = [
        f"{_head(finding, names, palette)}  {palette.paint('fix', visible(fix.title if fix else ''))}",
        *paragraph(visible(" ".join(finding.message.split())), "  ", columns),
        *([f"  changes {', '.join(map(visible, others))}"] if others else []),
        f"  {palette.paint('dim', f'mmcodemod explain {finding.rule}')}",
    ]
    return "\n".join(lines) + "\n"


def _why_not(finding: Finding, reasons: Mapping[Finding, str]) -> str:
    fix = finding.fix
    if finding in reasons:
        return f"its fix does not hold: {reasons[finding]}"
    if fix is None:
        return "no fix is offered"
    title = " ".join(fix.title.split())
    if fix.applicability is Applicability.DISPLAY or not fix.edits:
        return f"by hand: {title}"
    return f"needs --unsafe: {title}" if fix.applicability is Applicability.UNSAFE else f"not chosen: {title}"
