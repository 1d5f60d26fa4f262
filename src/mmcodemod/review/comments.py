"""The comment on a finding: what happens, how the run gets here, and the fix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mmcodemod.model.change import News, Told
from mmcodemod.model.finding import Finding, Step
from mmcodemod.model.grade import Applicability, Confidence, Severity
from mmcodemod.model.place import Place
from mmcodemod.report.words import labels
from mmcodemod.review.markup import ELLIPSIS, clipped, code, details, fenced, prose
from mmcodemod.review.pages import explained, quotes
from mmcodemod.review.posting import Inline, Subject, finding_mark
from mmcodemod.review.spots import Spot, spot
from mmcodemod.review.suggestion import MOST_LINES, changed_lines, joint, patch, suggestion

WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_KIND = {Applicability.SAFE: "", Applicability.UNSAFE: ", unsafe", Applicability.DISPLAY: ", by hand"}
_MESSAGE, _NOTE, _NAME = 1500, 300, 200  # characters
_STEPS, _CONTEXTS = 12, 8
_PATCH = 8000  # characters of a fix that is shown


def inline(told: Told, subject: Subject, others: Sequence[Told] = ()) -> Inline | None:
    """The comment on the lines of a finding, which lists others of these lines; None when the change does not
    show them."""
    at = spot(subject.review.changes, told.at)
    if at is None or told.at is None:
        return None
    fixes = joint(subject.tree, [one.finding for one in (told, *others)])
    shown = Offer(at, fixes)
    tries = (_suggested(told.at, one, at, subject) for one in (fixes, fixes[:1]))
    best = next((offer for offer in tries if offer), shown)
    where = replace(best.spot, path=subject.path(at.path), old_path=subject.path(at.old_path))
    text, plain = (body(told, subject, offer, others) for offer in (best, shown))
    return Inline(where, told.fingerprint, text, plain)


@dataclass(frozen=True, slots=True)
class Offer:
    """The findings whose fixes a comment shows: as a suggestion for exactly the lines of the spot when there
    is a `block`, else as a diff."""

    spot: Spot
    findings: tuple[Finding, ...]
    block: str = ""


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
        yield _fix(offer, subject)
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
        f"{'' if f in offer.findings else _mentioned(f, offer)}"
        for f in found
    ]
    rest = [f"- and {len(others) - _STEPS} more"] if len(others) > _STEPS else []
    return "\n".join(["Here as well:", "", *rows, *rest])


def _news(told: Told, subject: Subject) -> str:
    """Why it stands on this line, when the line is not where it fails."""
    if told.news is News.INTRODUCED and told.at and told.at.path == told.finding.at.path:
        return ""
    return f"At {place(told.finding.at, subject)}: "


def _mentioned(finding: Finding, offer: Offer) -> str:
    """A fix that is not offered: what it does, and who writes it. What people do by hand is said once."""
    if finding.fix is None:
        return ""
    kind = finding.fix.applicability
    fix = f" Fix{_KIND[kind]}: "
    title = prose(clipped(finding.fix.title, _NOTE))
    if kind is Applicability.DISPLAY:
        said = any(f.fix and f.fix.title == finding.fix.title for f in offer.findings)
        return "" if said else f"{fix}{title}"
    return f"{fix}{title}{_by_command(finding, kind)}"


def _fix(offer: Offer, subject: Subject) -> str:
    fixes = [f.fix for f in offer.findings if f.fix]
    kind = next(
        (f.applicability for f in fixes if f.applicability is not Applicability.SAFE), Applicability.SAFE
    )
    number = f" of {len(fixes)} findings" if len(fixes) > 1 else ""
    titles = dict.fromkeys(prose(clipped(fix.title, _NOTE)) for fix in fixes[:_STEPS])
    read = ": it changes what is computed, so read it first" if kind is Applicability.UNSAFE else ""
    title = f"Fix{number}{_KIND[kind]}{read}: {'; '.join(titles)}"
    if offer.block:
        return f"{title}\n\n{offer.block}"
    shown = patch(subject.tree, offer.findings)
    diff = _cut(shown)
    if shown and not diff:
        return f"{title}{_by_command(offer.findings[0], kind)}"
    return f"{title}\n\n{details('The fix', fenced(diff, 'diff'))}" if diff else title


def _cut(shown: str) -> str:
    """As many whole lines as a comment shows; nothing when no changed line is among them."""
    if len(shown) <= _PATCH:
        return shown
    rows = shown[:_PATCH].rpartition("\n")[0]
    some = re.search(r"^@@.*\n(?: .*\n)*[-+]", rows, re.M)
    return f"{rows}\n{ELLIPSIS} mmcodemod fix shows all of it\n" if some else ""


def _by_command(finding: Finding, kind: Applicability) -> str:
    """Who writes a fix that is not offered; nobody does what is to be done by hand."""
    if kind is Applicability.DISPLAY:
        return ""
    unsafe = "--unsafe " if kind is Applicability.UNSAFE else ""
    return f", by {code(f'mmcodemod fix {unsafe}--select {finding.rule}')}"


def _suggested(at: Place, findings: tuple[Finding, ...], there: Spot, subject: Subject) -> Offer | None:
    """The suggestion for the spot of a place, made wider for the fixes; None when there is none."""
    opening = subject.dialect.suggestion
    wide = changed_lines(subject.tree, at.path, findings) if opening else ()
    wider = spot(subject.review.changes, at, wide) if wide else None
    best = wider if wider and wider.lines[1] - wider.lines[0] < MOST_LINES else there
    found = suggestion(subject.tree, at.path, findings, *best.lines) if wide else None
    if found is None or len(found.text) > _PATCH:
        return None
    return Offer(best, findings, fenced(found.text, opening.format(above=found.last - found.first)))


def _trace(finding: Finding, subject: Subject) -> str:
    steps = finding.trace
    shown = steps if len(steps) <= _STEPS else (*steps[: _STEPS // 2], *steps[-_STEPS // 2 :])
    rows = "\n".join(f"1. {place(s.at, subject)} {_step(s, subject)}".rstrip() for s in shown)
    left = len(steps) - len(shown)
    return rows + (f"\n\n{left} steps in between are left out." if left else "")


def _step(step: Step, subject: Subject) -> str:
    """What is quoted from a launch or a source is one piece of code; words of ours may follow behind `; `."""
    guess = " [assumed]" if step.how.confidence is Confidence.ASSUMED else ""
    quoted, mark, words = step.note.partition("; ")
    if quotes(step.note, step.at, subject):
        return code(clipped(step.note, _NOTE)) + guess
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
