"""Annotations: workflow commands that a step of GitHub Actions prints.

Documented in "Workflow commands for GitHub Actions"; what is escaped, in actions/toolkit, command.ts. A step
shows at most ten annotations of each kind, in the order in which they are printed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.grade import Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report.escape import visible
from mmcodemod.report.order import loudest
from mmcodemod.report.words import advice, count, few, from_top, heading, labels, plain

SHOWN = 10
"""Annotations of one kind that GitHub shows for a step."""

_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def render(report: Report, names: Mapping[str, str], folder: str = "", strict: bool = False) -> str:
    """One command a line, the loudest first; before them a note when GitHub will not show all. `strict`:
    damage is an error."""
    found = loudest(report.findings)
    runs = labels(report.contexts)
    commands = [*_more(found), *(_finding(f, names, folder, runs) for f in found)]
    commands += [_problem(problem, folder, strict) for problem in sorted(set(report.problems))]
    return "".join(f"{command}\n" for command in commands)


def _finding(finding: Finding, names: Mapping[str, str], folder: str, runs: Mapping[str, str]) -> str:
    lines = [plain(finding.message)]
    if finding.contexts:
        lines.append("runs: " + few([runs.get(i, visible(i)) for i in sorted(finding.contexts)]))
    if finding.fix:
        lines.append(f"fix, {advice(finding.fix)}")
    lines.append(f"mmcodemod explain {finding.rule}")
    at = {**_place(finding.at, folder), "title": heading(finding.rule, names)}
    return _command(_KINDS[finding.severity], at, "\n".join(lines))


def _problem(problem: Problem, folder: str, strict: bool) -> str:
    at = {**_place(Place(problem.path, problem.line), folder), "title": "mmcodemod: not analysed"}
    kind = "error" if strict and problem.damage else "warning"
    return _command(kind, at, f"{problem.kind}: {plain(problem.message)}")


def _place(at: Place, folder: str) -> dict[str, str]:
    """The span. GitHub takes columns only when it lies on one line."""
    place = {"file": visible(from_top(at.path, folder))}
    if at.line:
        place |= {"line": str(at.line), "endLine": str(at.last_line)}
    if at.line and at.end_line == at.line:
        place |= {"col": str(at.column), "endColumn": str(at.end_column)}
    return place


def _more(found: list[Finding]) -> Iterator[str]:
    kinds = Counter(_KINDS[finding.severity] for finding in found)
    hidden = [count(number - SHOWN, kind) for kind, number in kinds.items() if number > SHOWN]
    if hidden:
        yield _command(
            "notice",
            {"title": "mmcodemod"},
            f"{' and '.join(hidden)} more in the log of this step: GitHub shows {SHOWN} of each kind.",
        )


def _command(kind: str, properties: Mapping[str, str], message: str) -> str:
    given = ",".join(f"{name}={_escaped(value, _PROPERTY)}" for name, value in properties.items())
    return f"::{kind} {given}::{_escaped(message, _DATA)}"


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
