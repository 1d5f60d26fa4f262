"""What `fix` did or would do: one line for people, or JSON."""

from __future__ import annotations

from collections.abc import Mapping

from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.report import json
from mmcodemod.report.words import count

Findings = tuple[Finding, ...]


def summary(changed: Mapping[str, bytes], fixed: Findings, left: Findings, applied: bool) -> str:
    """`would fix 3 findings in 2 files (--apply writes them) · 1 finding left, 1 fixable with --unsafe`."""
    loud = [f for f in left if f.severity is not Severity.INFO]  # notes are shown, never written
    unsafe = sum(1 for f in loud if f.fix and f.fix.applicability is Applicability.UNSAFE)
    rest = f" · {count(len(left), 'finding')} left" if left else ""
    rest += f", {unsafe} fixable with --unsafe" if unsafe else ""
    if not changed:
        return f"nothing to fix{rest}"
    what = f"{count(len(fixed), 'finding')} in {count(len(changed), 'file')}"
    return f"fixed {what}{rest}" if applied else f"would fix {what} (--apply writes them){rest}"


def render(
    changed: Mapping[str, bytes],
    fixed: Findings,
    left: Findings,
    problems: tuple[Problem, ...],
    names: Mapping[str, str],
) -> str:
    """The same as JSON."""
    parts: json.Object = {
        "changed": list[json.Value](sorted(changed)),
        "fixed": json.findings(fixed, names),
        "left": json.findings(left, names),
        "problems": json.problems(problems),
    }
    return json.dump({**json.header(), **parts})
