"""The comment on a finding: what happens, how the run gets here, and the fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mmcodemod.model.change import News, Told
from mmcodemod.model.finding import Finding, Step
from mmcodemod.model.grade import Confidence, Severity
from mmcodemod.model.place import Place
from mmcodemod.report.commands import with_commands
from mmcodemod.report.markup import clipped, code, details, prose
from mmcodemod.report.words import labels
from mmcodemod.review.offer import Offer, mentioned, shown_fix, suggested
from mmcodemod.review.pages import explained, quotes
from mmcodemod.review.posting import Inline, Subject, finding_mark
from mmcodemod.review.spots import spot
from mmcodemod.review.suggestion import joint

WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_MESSAGE, _NOTE, _NAME = 1500, 300, 200  # characters
_STEPS, _CONTEXTS = 12, 8


def inline(told: Told, subject: Subject, others: Sequence[Told] = ()) -> Inline | None:
    """The comment on the lines of a finding, which lists others of these lines; None when the change does not
    show them."""
    at = spot(subject.review.changes, told.at)
    if at is None or told.at is None:
        return None
    fixes = joint(subject.tree, [one.finding for one in (told, *others)])
    shown = Offer(at, fixes)
    tries = (suggested(told.at, one, at, subject) for one in (fixes, fixes[:1]))
    best = next((offer for offer in tries if offer), shown)
    where = replace(best.spot, path=subject.path(at.path), old_path=subject.path(at.old_path))
    text, plain = (body(told, subject, offer, others) for offer in (best, shown))
    return Inline(where, told.fingerprint, text, plain)


def body(told: Told, subject: Subject, offer: Offer, others: Sequence[Told] = ()) -> str:
    """The text of a comment, shortened in steps when it is longer than the forge takes."""
    parts = list(_parts(told, subject, offer, others))
    mark = finding_mark(told.fingerprint)
    while len("\n\n".join(parts)) + len(mark) > subject.dialect.most and len(parts) > 2:
        del parts[-2]
    return "\n\n".join(parts) + "\n" + mark


def headline(finding: Finding, subject: Subject) -> str:
    """`**error** MM303 ds-gradient-clipping-absent`, all of it from the rule."""
    name = subject.names.get(finding.rule, "")
    return f"**{WORDS[finding.severity]}** {code(f'{finding.rule} {name}')}"


def message(finding: Finding) -> str:
    return prose(clipped(finding.message, _MESSAGE))


def place(at: Place, subject: Subject) -> str:
    """`path:line`, the path as the repository has it; without a line for a whole file."""
    path = subject.path(at.path)
    return code(clipped(f"{path}:{at.line}" if at.line else path, _NAME))


def brought(told: Told, subject: Subject) -> str:
    """How the change brings it."""
    if told.news is News.INTRODUCED:
        return "introduced by this change"
    return f"activated by {place(told.at, subject)}" if told.at else "activated by this change"


def _parts(told: Told, subject: Subject, offer: Offer, others: Sequence[Told]) -> Iterator[str]:
    finding = told.finding
    first = f"{headline(finding, subject)}, {brought(told, subject)}"
    yield f"{first}\n\n{_news(told, subject)}{message(finding)}"
    if others:
        yield _others(others, subject, offer)
    if offer.findings:
        yield shown_fix(offer, subject)
    if finding.trace:
        yield details("How the run gets here", _trace(finding, subject))
    if finding.related:
        yield details("See also", _rows(((n.at, n.note) for n in finding.related[:_STEPS]), subject))
    if told.contexts or finding.contexts:
        yield _contexts(told, subject)
    if about := explained(subject.pages.get(finding.rule, "")):
        yield details("What this rule is about", about)
    yield f"More: {code(f'mmcodemod explain {finding.rule}')}"


def _others(others: Sequence[Told], subject: Subject, offer: Offer) -> str:
    """What else this line brings, with the fixes that are not offered."""
    found = [t.finding for t in others[:_STEPS]]
    rows = [
        f"- {headline(f, subject)} {place(f.at, subject)}: {prose(clipped(f.message, _NOTE))}"
        f"{mentioned(f, offer)}"
        for f in found
    ]
    rest = [f"- and {len(others) - _STEPS} more"] if len(others) > _STEPS else []
    return "\n".join(["Here as well:", "", *rows, *rest])


def _news(told: Told, subject: Subject) -> str:
    """Why it stands on this line, when the line is not where it fails."""
    if told.news is News.INTRODUCED and told.at and told.at.path == told.finding.at.path:
        return ""
    return f"At {place(told.finding.at, subject)}: "


def _trace(finding: Finding, subject: Subject) -> str:
    whole = with_commands(finding, subject.review.report.contexts)
    steps = tuple(zip(finding.trace, (step.note for step in whole.trace), strict=True))
    shown = steps if len(steps) <= _STEPS else (*steps[: _STEPS // 2], *steps[-_STEPS // 2 :])
    rows = "\n".join(f"1. {place(s.at, subject)} {_step(s, note, subject)}".rstrip() for s, note in shown)
    left = len(steps) - len(shown)
    return rows + (f"\n\n{left} steps in between are left out." if left else "")


def _step(step: Step, whole: str, subject: Subject) -> str:
    """What is quoted from a launch or a source is one piece of code; words of ours may follow behind `; `.
    `whole`: the note with more of its command."""
    guess = " [assumed]" if step.how.confidence is Confidence.ASSUMED else ""
    quoted, mark, words = step.note.partition("; ")
    if quotes(step.note, step.at, subject):
        return code(clipped(whole, _NOTE)) + guess
    if mark and quotes(quoted, step.at, subject):
        return f"{code(clipped(quoted, _NOTE))}; {prose(clipped(words + guess, _NOTE))}"
    return prose(clipped(step.note + guess, _NOTE))


def _rows(rows: Iterator[tuple[Place, str]], subject: Subject) -> str:
    """A list: where, and what is there."""
    return "\n".join(f"1. {place(at, subject)} {prose(clipped(what, _NOTE))}".rstrip() for at, what in rows)


def _contexts(told: Told, subject: Subject) -> str:
    ids = told.contexts or told.finding.contexts
    known = labels(subject.review.report.contexts)
    names = [code(clipped(known.get(i, i), _NAME)) for i in sorted(ids)]
    rest = f" and {len(names) - _CONTEXTS} more" if len(names) > _CONTEXTS else ""
    return f"Runs: {', '.join(names[:_CONTEXTS])}{rest}"
