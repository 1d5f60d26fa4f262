"""A report as Markdown: a table and, folded up below it, how each run gets to the place. Made for the summary
of a job in GitHub Actions, which is dropped as a whole when it holds more than 1 MiB.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mmcodemod.model.finding import Finding, Problem, Step
from mmcodemod.model.fix import Fix, OverlappingEdits, apply_edits
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import Applicability, Confidence, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report.colour import PLAIN
from mmcodemod.report.diff import diff, for_terminal
from mmcodemod.report.markup import clipped, element, fenced, prose
from mmcodemod.report.order import loudest
from mmcodemod.report.words import count, few, from_top, heading, labels, summary
from mmcodemod.source.tree import Tree, UnreadableFile, read_text

LIMIT = 1_000_000
"""Bytes; GitHub takes 1 MiB for all that a step writes."""

_ROWS = 100  # a longer table helps nobody
_STEPS = 20
_LONGEST, _LONGEST_PATCH = 2000, 20_000  # characters of a sentence, of a fix that is shown
_SIGNS = {Severity.ERROR: "❌ error", Severity.WARNING: "⚠️ warning", Severity.INFO: "ℹ️ info"}


@frozen()
class _Page:
    """What all parts of one report need."""

    tree: Tree
    names: Mapping[str, str]
    folder: str
    runs: Mapping[str, str]


def render(report: Report, tree: Tree, names: Mapping[str, str], folder: str = "", said: str = "") -> str:
    """The whole report, the loudest findings first, cut so that it stays below the limit. `said`: what it
    comes to, for a report that is not of a check."""
    page = _Page(tree, names, folder, labels(report.contexts))
    found = loudest(report.findings)
    head = ["## mmcodemod", prose(said or summary(report, hint="", read=len(tree.paths)))]
    if found:
        head.append("\n".join(_table(found, page)))
    if report.problems:
        head.append("\n".join(_problems(report.problems, page)))
    return _cut(head, (_details(finding, page) for finding in found if finding.severity is not Severity.INFO))


def _cut(head: list[str], details: Iterator[str]) -> str:
    text = "\n\n".join(head) + "\n"
    size = len(text.encode())
    for at, block in enumerate(details):
        size += len(block.encode()) + 2
        if size > LIMIT:
            return f"{text}\nThe page would be too long: it tells the details of {count(at, 'finding')}.\n"
        text += f"\n{block}\n"
    return text


def _table(found: list[Finding], page: _Page) -> Iterator[str]:
    yield "| | where | what happens | runs |"
    yield "|---|---|---|---|"
    for finding in found[:_ROWS]:
        yield f"| {' | '.join(_row(finding, page))} |"
    if len(found) > _ROWS:
        yield ""
        yield f"and {count(len(found) - _ROWS, 'finding')} more, no louder than these"


def _row(finding: Finding, page: _Page) -> tuple[str, ...]:
    runs = [page.runs.get(i, i) for i in sorted(finding.contexts)]
    return (
        _SIGNS[finding.severity],
        f"{_place(finding.at, page)}<br>{heading(finding.rule, page.names)}",
        _said(finding.message),
        element(few(runs)) if runs else "",
    )


def _place(at: Place, page: _Page) -> str:
    path = from_top(at.path, page.folder)
    return element(f"{path}:{at.line}" if at.line else path)


def _problems(problems: Iterable[Problem], page: _Page) -> Iterator[str]:
    yield "Not analysed:"
    yield ""
    told = sorted(set(problems))
    for problem in told[:_ROWS]:
        yield f"- {_place(Place(problem.path, problem.line), page)} {problem.kind}: {_said(problem.message)}"
    if len(told) > _ROWS:
        yield f"- and {len(told) - _ROWS} more"


def _details(finding: Finding, page: _Page) -> str:
    title = heading(finding.rule, page.names)
    parts = [f"<details><summary>{title} in {_place(finding.at, page)}</summary>", _said(finding.message)]
    if finding.trace:
        parts.append("\n".join(_trace(finding.trace, page)))
    notes = [f"- {_place(note.at, page)} {_said(note.note)}" for note in finding.related if note.note]
    if notes:
        parts.append("\n".join(["See also:", "", *notes[:_STEPS]]))
    if finding.fix:
        parts += _fix(finding.fix, page)
    return "\n\n".join([*parts, f"More: <code>mmcodemod explain {finding.rule}</code>", "</details>"])


def _trace(trace: tuple[Step, ...], page: _Page) -> list[str]:
    lines = [f"1. {_place(step.at, page)} {_said(step.note)}{_guess(step)}" for step in trace]
    if len(lines) > _STEPS:
        half = _STEPS // 2
        lines = [*lines[:half], f"1. … {len(lines) - 2 * half} more steps", *lines[-half:]]
    return ["How the run gets here:", "", *lines]


def _guess(step: Step) -> str:
    return " (assumed)" if step.how.confidence is Confidence.ASSUMED else ""


def _fix(fix: Fix, page: _Page) -> list[str]:
    words = {Applicability.SAFE: "Fix", Applicability.UNSAFE: "Fix, unsafe", Applicability.DISPLAY: "By hand"}
    shown = _patch(fix, page)
    return [f"{words[fix.applicability]}: {_said(fix.title)}", *([fenced(shown, "diff")] if shown else [])]


def _patch(fix: Fix, page: _Page) -> str:
    """What the fix changes, as a diff; nothing when it is long, or a file cannot be shown (any more)."""
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    try:
        for path in sorted({edit.path for edit in fix.edits}):
            text, name = read_text(page.tree, path), from_top(path, page.folder)
            before[name] = text.encode("utf-8", "replace")
            after[name] = apply_edits(text, fix.edits_of(path)).encode("utf-8", "replace")
    except (UnreadableFile, OverlappingEdits, IndexError):
        return ""
    shown = for_terminal(diff(before, after), PLAIN)
    return shown if len(shown) <= _LONGEST_PATCH else ""


def _said(text: str) -> str:
    return prose(clipped(text, _LONGEST), element)
