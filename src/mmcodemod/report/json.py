"""The JSON contract, version 1 (DESIGN, "Interfaces that others rely on"). Equal input gives equal bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Union

from mmcodemod.model.context import Context, Dependency, Entry, Stated
from mmcodemod.model.finding import Dismissal, Finding, Note, Problem, Step
from mmcodemod.model.fix import Edit, Fix
from mmcodemod.model.option import MISSING, Option, Special
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report, Stats
from mmcodemod.model.secrets import hidden
from mmcodemod.report.escape import storable
from mmcodemod.report.fingerprint import fingerprints
from mmcodemod.report.order import ordered, ordered_dismissals
from mmcodemod.report.version import VERSION

Value = Union[str, int, float, bool, None, "list[Value]", "dict[str, Value]"]
Object = dict[str, Value]


def render(report: Report, names: Mapping[str, str], profile: bool = False) -> str:
    """A report. `names` maps codes to rule names; `profile` adds seconds."""
    return dump(
        {
            **header(),
            "contexts": contexts(report),
            "findings": findings(report.findings, names),
            "dismissed": [_dismissal(d) for d in ordered_dismissals(report.dismissed)],
            "problems": problems(report.problems),
            **({"baseline": {"known": report.known}} if report.known else {}),
            "stats": _stats(report.stats, profile),
        }
    )


def dump(value: Value) -> str:
    return json.dumps(_plain(value), indent=2, allow_nan=False) + "\n"


def header() -> Object:
    return {"version": 1, "tool": {"name": "mmcodemod", "version": VERSION}}


def contexts(report: Report) -> Value:
    return [_context(c) for c in sorted(report.contexts, key=lambda c: c.id)]


def findings(found: tuple[Finding, ...], names: Mapping[str, str]) -> Value:
    sorted_findings = ordered(found)
    marks = fingerprints(sorted_findings)
    return [one(f, names, mark) for f, mark in zip(sorted_findings, marks, strict=True)]


def problems(found: tuple[Problem, ...]) -> Value:
    return [_problem(p) for p in sorted(set(found))]


def _plain(value: Value) -> Value:
    """The same value without what JSON cannot carry: lone surrogates, NaN and infinities."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return {storable(k): _plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def one(finding: Finding, names: Mapping[str, str], fingerprint: str) -> Object:
    """One finding."""
    return {
        "rule": finding.rule,
        "name": names.get(finding.rule, finding.rule),
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        **span(finding.at),
        "symbol": finding.symbol,
        "message": finding.message,
        "contexts": list[Value](sorted(finding.contexts)),
        "trace": [_step(step) for step in finding.trace],
        "related": [_note(note) for note in finding.related],
        "fix": _fix(finding.fix) if finding.fix else None,
        "fingerprint": fingerprint,
        "docs": docs(finding.rule, names),
    }


def docs(code: str, names: Mapping[str, str]) -> str:
    """The page of a rule, relative to the sources; `mmcodemod explain CODE` prints it anywhere."""
    if code.startswith("MM9"):
        return "README.md#when-it-is-wrong"
    return f"codemods/{names.get(code, code).replace('-', '_')}/rule.md"


def span(at: Place) -> Object:
    """Where something begins and ends."""
    end = (at.end_line, at.end_column) if at.end_line else (at.line, at.column)
    return {"path": at.path, "line": at.line, "column": at.column, "end_line": end[0], "end_column": end[1]}


def _step(step: Step) -> Object:
    """`how` grades the step; `edge` says how the call was resolved."""
    return {**_at(step.at), "symbol": step.symbol, "note": step.note} | {
        "how": step.how.confidence.value,
        "edge": step.how.value,
    }


def _note(note: Note) -> Object:
    return {**_at(note.at), "note": note.note}


def _fix(fix: Fix) -> Object:
    return {
        "title": fix.title,
        "applicability": fix.applicability.value,
        "edits": [_edit(edit) for edit in sorted(fix.edits)],
    }


def _edit(edit: Edit) -> Object:
    span: Object = {"start": list[Value](edit.start), "end": list[Value](edit.end)}
    return {"path": edit.path, **span, "text": edit.text}


def _dismissal(dismissal: Dismissal) -> Object:
    return {
        "rule": dismissal.rule,
        **_at(dismissal.at),
        "end_line": dismissal.at.last_line,
        "reason": dismissal.reason,
        "evidence": [_note(note) for note in dismissal.evidence],
        "contexts": list[Value](sorted(dismissal.contexts)),
    }


def _problem(problem: Problem) -> Object:
    line: Object = {"line": problem.line} if problem.line else {}
    return {"path": problem.path, "kind": problem.kind, "message": problem.message, **line}


def _stats(stats: Stats, profile: bool) -> Object:
    counts: Object = {"files": stats.files, "lines": stats.lines, "scanned": stats.scanned}
    if not profile:
        return counts
    return {**counts, "seconds": _seconds(stats.seconds), "rule_seconds": _seconds(stats.rule_seconds)}


def _seconds(spent: Mapping[str, float]) -> Object:
    """To the microsecond: what is finer is noise."""
    return {what: round(spent[what], 6) for what in sorted(spent)}


def _entry(entry: Entry) -> Object:
    """A file and its function; of the program of an installed library, no path and the library's name."""
    return {"path": "" if entry.library else entry.path, "symbol": entry.library or entry.symbol}


def _context(context: Context) -> Object:
    entry, options, dependencies = context.entry, context.options, context.dependencies
    return {
        "id": context.id,
        "entry": _entry(entry) if entry else None,
        "launcher": _at(context.launcher) if context.launcher else None,
        "origin": context.origin.value,
        "command": context.command,
        "configs": list[Value](sorted(context.configs)),
        "strategy": context.strategy.value,
        "strategy_from": None if context.strategy_from.value is MISSING else _option(context.strategy_from),
        "options": {name: _option(hidden(name, options[name])) for name in sorted(options)},
        "dependencies": {name: _dependency(dependencies[name]) for name in sorted(dependencies)},
        "notes": list[Value](context.notes),
    }


def _option(option: Option) -> Object:
    """Auto, missing and unknown are told from the words "auto", ... by `state`."""
    value = option.value
    if isinstance(value, Special):
        return {"value": None, "state": value.value, **_maybe_at(option.at)}
    return {"value": value, **_maybe_at(option.at)}


def _dependency(dependency: Dependency) -> Object:
    others: Object = {"others": [_stated(other) for other in dependency.others]} if dependency.others else {}
    return {"spec": dependency.spec, **_maybe_at(dependency.at), "source": dependency.source.value, **others}


def _stated(other: Stated) -> Object:
    return {"spec": other.spec, **_at(other.at)}


def _at(place: Place) -> Object:
    return {"path": place.path, "line": place.line}


def _maybe_at(place: Place | None) -> Object:
    return _at(place) if place else {"path": None, "line": None}
