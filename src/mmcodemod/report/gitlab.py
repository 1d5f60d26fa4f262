"""A Code Quality report of GitLab (documented in "Code Quality", "Code Quality report format")."""

from __future__ import annotations

from collections.abc import Mapping

from mmcodemod.model.finding import Finding
from mmcodemod.model.grade import Severity
from mmcodemod.model.report import Report
from mmcodemod.report import json
from mmcodemod.report.fingerprint import fingerprints
from mmcodemod.report.order import ordered
from mmcodemod.report.words import from_top, heading, plain

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "info"}


def render(report: Report, names: Mapping[str, str], folder: str = "") -> str:
    """One object a finding. GitLab tells what is new and what is fixed by the fingerprints."""
    found = ordered(report.findings)
    marks = fingerprints(found)
    return json.dump([_issue(f, names, folder, mark) for f, mark in zip(found, marks, strict=True)])


def _issue(finding: Finding, names: Mapping[str, str], folder: str, fingerprint: str) -> json.Object:
    first = max(finding.at.line, 1)  # GitLab leaves out what has no line
    lines: json.Object = {"begin": first, "end": max(finding.at.last_line, first)}
    return {
        "description": f"{heading(finding.rule, names)}: {plain(finding.message)}",
        "check_name": finding.rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": from_top(finding.at.path, folder), "lines": lines},
    }
