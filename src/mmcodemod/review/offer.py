"""The fixes that a comment offers: as a suggestion, as a diff, or by the command that writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import Fix
from mmcodemod.model.grade import Applicability
from mmcodemod.model.place import Place
from mmcodemod.report.markup import ELLIPSIS, clipped, code, details, fenced, prose
from mmcodemod.review.posting import Subject
from mmcodemod.review.spots import Spot, spot
from mmcodemod.review.suggestion import MOST_LINES, changed_lines, patch, suggestion

_KIND = {Applicability.SAFE: "", Applicability.UNSAFE: ", unsafe", Applicability.DISPLAY: ", by hand"}
_TITLE, _TITLES = 300, 12  # characters of one, how many
_PATCH = 8000  # characters of a fix that is shown


@dataclass(frozen=True, slots=True)
class Offer:
    """The findings whose fixes a comment shows: as a suggestion for exactly the lines of the spot when there
    is a `block`, else as a diff."""

    spot: Spot
    findings: tuple[Finding, ...]
    block: str = ""


def mentioned(finding: Finding, offer: Offer) -> str:
    """A fix that is not offered: what it does, and who writes it. What people do by hand is said once."""
    fix = finding.fix
    if fix is None or finding in offer.findings:
        return ""
    by_hand = fix.applicability is Applicability.DISPLAY
    if by_hand and any(f.fix and f.fix.title == fix.title for f in offer.findings):
        return ""
    return f" Fix{_KIND[fix.applicability]}: {_title(fix)}{_by_command(finding, fix.applicability)}"


def shown_fix(offer: Offer, subject: Subject) -> str:
    """What the fixes do, and the suggestion or the diff."""
    fixes = [f.fix for f in offer.findings if f.fix]
    kind = max((fix.applicability for fix in fixes), key=list(_KIND).index)
    number = f" of {len(fixes)} findings" if len(fixes) > 1 else ""
    titles = dict.fromkeys(map(_title, fixes[:_TITLES]))
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


def _title(fix: Fix) -> str:
    return prose(clipped(fix.title, _TITLE))


def _by_command(finding: Finding, kind: Applicability) -> str:
    """Who writes a fix that is not offered; nobody does what is to be done by hand."""
    if kind is Applicability.DISPLAY:
        return ""
    unsafe = "--unsafe " if kind is Applicability.UNSAFE else ""
    return f", by {code(f'mmcodemod fix {unsafe}--select {finding.rule}')}"


def suggested(at: Place, findings: tuple[Finding, ...], there: Spot, subject: Subject) -> Offer | None:
    """The suggestion for the spot of a place, made wider for the fixes; None when there is none."""
    opening = subject.dialect.suggestion
    wide = changed_lines(subject.tree, at.path, findings) if opening else ()
    wider = spot(subject.review.changes, at, wide) if wide else None
    best = wider if wider and wider.lines[1] - wider.lines[0] < MOST_LINES else there
    found = suggestion(subject.tree, at.path, findings, *best.lines) if wide else None
    if found is None or len(found.text) > _PATCH:
        return None
    return Offer(best, findings, fenced(found.text, opening.format(above=found.last - found.first)))
