"""What `fix` did or would do: for people, file by file, or as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.report import json
from mmcodemod.report.colour import PLAIN, Palette
from mmcodemod.report.escape import visible
from mmcodemod.report.order import ordered
from mmcodemod.report.words import count, heading, plain
from mmcodemod.report.wrapped import paragraph

Findings = tuple[Finding, ...]
Refused = Sequence[tuple[Finding, str]]


@frozen()
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
    """What was changed, and what was not and why not. Places of changes are those before the fix."""
    rows = [f"  {row}" for row in planned(outcome, names, palette)]
    rules = sorted({f.rule for f in outcome.applied})
    why = [f"  {palette.paint('dim', f'mmcodemod explain {rule}')}" for rule in rules]
    blocks = [["fixed", *rows, *why] if rows else [], not_fixed(outcome, names, palette, columns)]
    return "\n".join("\n".join(block) + "\n" for block in blocks if block)


def planned(outcome: Outcome, names: Mapping[str, str], palette: Palette = PLAIN) -> list[str]:
    """A line for each finding that is fixed: by its own fix, or by that of another."""
    own = {(f.rule, f.at, f.message): f for f in outcome.applied}  # a comment may stand for the fix
    done = {f: own.get((f.rule, f.at, f.message)) for f in ordered(outcome.fixed)}
    return [_row(f, _how(by), names, palette) for f, by in done.items()]


def not_fixed(
    outcome: Outcome, names: Mapping[str, str], palette: Palette = PLAIN, columns: int = 100
) -> list[str]:
    """The findings that are left, but for notes: each rule with each reason once, and its places below."""
    reasons = dict(outcome.refused)
    places: dict[tuple[str, str], list[str]] = {}
    for f in ordered(_loud(outcome.left)):
        places.setdefault((f.rule, _why_not(f, reasons)), []).append(visible(str(f.at)))
    lines = ["not fixed"] if places else []
    for (rule, why), where in places.items():
        lines += paragraph(f"{heading(rule, names)}: {plain(why)}", "  ", columns)
        lines += [palette.paint("bold", row) for row in paragraph(", ".join(where), " " * 4, columns)]
    return lines


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


def _row(finding: Finding, how: str, names: Mapping[str, str], palette: Palette) -> str:
    """`ds.json:3  MM303 ds-gradient-clipping-absent: add "gradient_clipping": "auto"`."""
    place = palette.paint("bold", visible(str(finding.at)))
    return f"{place}  {heading(finding.rule, names)}: {how}"


def _how(applied: Finding | None) -> str:
    """What the fix that was applied does, and in which other files."""
    fix = applied.fix if applied else None
    if applied is None or fix is None:
        return "gone with another fix"
    others = sorted({edit.path for edit in fix.edits} - {applied.at.path})
    return plain(fix.title) + (f" (changes {', '.join(map(visible, others))})" if others else "")


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
