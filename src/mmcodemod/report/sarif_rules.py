"""The rules of a SARIF run: what a reader of an alert sees of its rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mmcodemod.model.finding import Finding
from mmcodemod.report import json
from mmcodemod.report.formats import About
from mmcodemod.report.sarif_limits import DESCRIPTION, NAME, TAGS

LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_PROBLEMS = {"error": "error", "warning": "warning", "info": "recommendation"}


def known(rules: Sequence[About], findings: Iterable[Finding], names: Mapping[str, str]) -> list[About]:
    """The rules that ran and those that found something, sorted by code."""
    told = {rule.code: rule for rule in rules}
    for code in {finding.rule for finding in findings} - told.keys():
        name = names.get(code, code)
        told[code] = About(code, name, name.replace("-", " "))
    return [told[code] for code in sorted(told)]


def descriptor(rule: About) -> json.Object:
    """`precision` is the rank that code scanning sorts by: a rule is shipped only when a finding of it is
    seldom wrong, and each result tells its own confidence."""
    summary = f"{rule.summary}."[:DESCRIPTION]
    text = f"{summary} `mmcodemod explain {rule.code}` shows the page of this rule."
    markdown: json.Object = {"markdown": rule.page} if rule.page else {}
    tags = list(dict.fromkeys((rule.family, "distributed-training")))[:TAGS]
    return {
        "id": rule.code,
        "name": rule.name[:NAME],
        "shortDescription": {"text": summary},
        "fullDescription": {"text": summary},
        "help": {"text": text, **markdown},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {
            "tags": list[json.Value](tags),
            "precision": "high",
            "problem.severity": _PROBLEMS[rule.severity],
        },
    }
