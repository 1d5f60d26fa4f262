"""SARIF 2.1.0, as GitHub code scanning and editors read it.

Paths are relative to the top of the repository, which is what code scanning takes them for. The fingerprint
that code scanning itself compares, `primaryLocationLineHash`, is left to its upload action: that computes it
from the file, and warns of every other value. Braces of messages stay single, as no reader undoubles them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from mmcodemod.model.finding import Finding, Note, Problem, Step
from mmcodemod.model.fix import Edit, Fix, adds_import
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import Applicability
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report import json
from mmcodemod.report.escape import visible
from mmcodemod.report.fingerprint import fingerprints
from mmcodemod.report.formats import About
from mmcodemod.report.order import ordered
from mmcodemod.report.sarif_limits import PLACES, STEPS, both_ends, fits, said, smaller
from mmcodemod.report.sarif_rules import LEVELS, descriptor, known
from mmcodemod.report.version import VERSION
from mmcodemod.report.words import few, from_top, labels, plain

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_TOP = "%SRCROOT%"
_LINKED = 5  # other places that the message itself links to


@frozen()
class _Run:
    """What all results of one run need. `places`: code -> index of its rule."""

    folder: str
    labels: Mapping[str, str]
    places: Mapping[str, int]


def render(report: Report, names: Mapping[str, str], folder: str = "", rules: Sequence[About] = ()) -> str:
    """One run. When GitHub would reject the file, the quietest findings are left out, and a notification
    says so."""
    found = ordered(report.findings)
    about = known(rules, found, names)
    run = _Run(folder, labels(report.contexts), {rule.code: at for at, rule in enumerate(about)})
    marks = fingerprints(found)
    results = {id(f): _result(f, mark, run) for f, mark in zip(found, marks, strict=True)}
    for kept in smaller(found):
        notes = [*map(_cut, said(found, kept)), *(_problem(p, run) for p in sorted(set(report.problems)))]
        text = json.dump(_log(about, [results[id(f)] for f in kept], notes))
        if fits(text):
            break
    return text


def _log(rules: Iterable[About], results: list[json.Value], notes: list[json.Object]) -> json.Object:
    driver: json.Object = {
        "name": "mmcodemod",
        "semanticVersion": VERSION,
        "rules": [descriptor(rule) for rule in rules],
    }
    run: json.Object = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_TOP: {"description": {"text": "The top of the repository."}}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": [*notes]}],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding, fingerprint: str, run: _Run) -> json.Object:
    related = [note for note in finding.related if note.at != finding.at][:PLACES]
    fix = _fix(finding.fix, run) if finding.fix else {}
    return {
        "ruleId": finding.rule,
        "ruleIndex": run.places[finding.rule],
        "level": LEVELS[finding.severity.value],
        "message": {"text": _message(finding, related, run)},
        "locations": [_location(finding.at, run, _label(finding), finding.symbol)],
        "partialFingerprints": {"mmcodemod/v1": fingerprint},
        **({"codeFlows": [_flow(finding, run)]} if finding.trace else {}),
        **({"relatedLocations": _related(related, run)} if related else {}),
        **({"fixes": [fix]} if fix else {}),
        "properties": {
            "confidence": finding.confidence.value,
            "contexts": list[json.Value](sorted(finding.contexts)),
        },
    }


def _message(finding: Finding, related: Sequence[Note], run: _Run) -> str:
    """The first line is the title of an alert; links lead to the related locations by their number."""
    lines = [_unlinked(finding.message)]
    if finding.contexts:
        lines.append("Runs: " + _unlinked(few([run.labels.get(i, i) for i in sorted(finding.contexts)])))
    links = (f"[{_link(note.at, run)}]({number})" for number, note in enumerate(related[:_LINKED], 1))
    if related:
        lines.append(f"See also {', '.join(links)}")
    return "\n\n".join(lines)


def _unlinked(text: str) -> str:
    """Words of the analysed code make no links."""
    return plain(text).replace("](", "] (")


def _link(at: Place, run: _Run) -> str:
    text = visible(from_top(str(at), run.folder))
    return re.sub(r"([\\\[\]])", r"\\\1", text)


def _label(finding: Finding) -> str:
    """The first note about the place itself."""
    return next((note.note for note in finding.related if note.at == finding.at), "")


def _related(notes: Iterable[Note], run: _Run) -> list[json.Value]:
    return [{"id": number, **_location(note.at, run, note.note)} for number, note in enumerate(notes, 1)]


def _flow(finding: Finding, run: _Run) -> json.Object:
    """The trace, which ends at the place of the finding."""
    steps = list(finding.trace)
    if (steps[-1].at.path, steps[-1].at.line) != (finding.at.path, finding.at.line):
        steps.append(Step(finding.at, _label(finding) or "here", finding.symbol))
    locations: list[json.Value] = [_step(step, run) for step in both_ends(steps, STEPS)]
    return {"threadFlows": [{"locations": locations}]}


def _step(step: Step, run: _Run) -> json.Object:
    grade: json.Object = {"confidence": step.how.confidence.value, "edge": step.how.value}
    return {"location": _location(step.at, run, step.note, step.symbol), "properties": grade}


def _location(at: Place, run: _Run, note: str = "", symbol: str = "") -> json.Object:
    physical: json.Object = {"artifactLocation": _artifact(at.path, run)}
    if at.line:
        physical["region"] = _region(at)
    return {
        "physicalLocation": physical,
        **({"logicalLocations": [{"fullyQualifiedName": symbol}]} if symbol else {}),
        **({"message": {"text": _unlinked(note)}} if note else {}),
    }


def _artifact(path: str, run: _Run) -> json.Object:
    uri = quote(from_top(path, run.folder).encode("utf-8", "surrogateescape"))
    return {"uri": uri, "uriBaseId": _TOP}


def _region(at: Place) -> json.Object:
    """The span; the whole line when its end is not known."""
    if not at.end_line:
        return {"startLine": at.line}
    return _span((at.line, at.column), (at.end_line, at.end_column))


def _span(start: tuple[int, int], end: tuple[int, int]) -> json.Object:
    return {"startLine": start[0], "startColumn": start[1], "endLine": end[0], "endColumn": end[1]}


def _fix(fix: Fix, run: _Run) -> json.Object:
    """The edits; nothing for a fix that is only shown."""
    if fix.applicability is Applicability.DISPLAY or not fix.edits:
        return {}
    edits = sorted(set(fix.edits), key=lambda e: (e.path, e.start, e.end, not adds_import(e.text)))
    changes: list[json.Value] = [
        {
            "artifactLocation": _artifact(path, run),
            "replacements": [_replacement(edit) for edit in edits if edit.path == path],
        }
        for path in dict.fromkeys(edit.path for edit in edits)
    ]
    title = plain(fix.title) if fix.applicability is Applicability.SAFE else f"unsafe: {plain(fix.title)}"
    return {"description": {"text": title}, "artifactChanges": changes}


def _replacement(edit: Edit) -> json.Object:
    return {"deletedRegion": _span(edit.start, edit.end), "insertedContent": {"text": edit.text}}


def _problem(problem: Problem, run: _Run) -> json.Object:
    return {
        "level": "warning",
        "message": {"text": f"{problem.kind}: {plain(problem.message)}"},
        "locations": [_location(Place(problem.path, problem.line), run)],
        "descriptor": {"id": problem.kind},
    }


def _cut(sentence: str) -> json.Object:
    return {"level": "warning", "message": {"text": sentence}, "descriptor": {"id": "limit"}}
