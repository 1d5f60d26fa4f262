"""A rule whose findings were too often wrong in the field speaks in notes until a trial shows better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mmcodemod.model.finding import Finding
from mmcodemod.model.grade import Severity
from mmcodemod.model.rule import Rule


def previewed(rules: Sequence[Rule], findings: Iterable[Finding]) -> list[Finding]:
    """The findings, with those of rules in preview as notes that name the option which makes them loud."""
    codes = {rule.code for rule in rules if rule.preview}
    return [_note(f) if f.rule in codes and f.severity is not Severity.INFO else f for f in findings]


def _note(finding: Finding) -> Finding:
    article = "an" if finding.severity is Severity.ERROR else "a"
    told = f"{finding.rule} is in preview: with --preview this is {article} {finding.severity.value}."
    return replace(finding, severity=Severity.INFO, message=f"{finding.message} {told}")
