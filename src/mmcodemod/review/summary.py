"""The one comment that sums up a change, and is edited on later pushes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mmcodemod.model.change import Mended, Review, Silencing, Told, unread
from mmcodemod.model.finding import Problem
from mmcodemod.model.place import Place
from mmcodemod.report.markup import clipped, code, prose
from mmcodemod.report.untold import untold
from mmcodemod.report.words import count, tally
from mmcodemod.review.comments import headline, message, place
from mmcodemod.review.posting import Subject, summary_mark

_MOST_ROWS = 100
_TEXT = 400  # characters of one row


@dataclass(frozen=True)
class Share:
    """How the findings of a change are spread: comments on lines, and `rest`, those in the summary alone.
    `refused`: why the forge took no comments on lines, in its words."""

    inline: int
    rest: tuple[Told, ...]
    refused: str = ""


def has_news(review: Review) -> bool:
    """Is there anything to say? What is not known alone is no reason, but for runs that do not start and
    files that can no longer be read."""
    broken = any(problem.damage for problem in review.problems)
    return bool(review.told or review.mended or review.silenced or review.stopped or broken)


def summary(subject: Subject, share: Share) -> str:
    """The whole comment, rows left out from the end when it is too long."""
    review = subject.review
    rows = _MOST_ROWS
    while True:
        text = "\n\n".join(_parts(subject, share, rows)) + "\n" + summary_mark()
        if len(text) <= subject.dialect.most or not rows:
            return text if len(text) <= subject.dialect.most else _shortest(review)
        rows //= 2


def settled(review: Review) -> str:
    """What a summary says that is there and has nothing more to say."""
    return f"{_TITLE}\n\nAll is resolved{_at(review)}.\n{summary_mark()}"


def version(review: Review) -> str:
    """The new version as people name it."""
    return code(review.head[:12])


_TITLE = "### mmcodemod"


def _shortest(review: Review) -> str:
    return f"{_TITLE}\n\n{_verdict(review)}\n{summary_mark()}"


def _at(review: Review) -> str:
    return f" in {version(review)}" if review.head else ""


def _verdict(review: Review) -> str:
    """`**2 errors, 1 warning** come with this change (`1a2b3c4`).`"""
    found = [told.finding for told in review.told]
    if found:
        verb = "comes" if len(found) == 1 else "come"
        return f"**{tally(found)}** {verb} with this change{_at(review)}."
    return f"No finding comes with this change{_at(review)}."


def _parts(subject: Subject, share: Share, rows: int) -> Iterator[str]:
    review = subject.review
    yield _TITLE
    yield _verdict(review) + _spread(share)
    if share.refused:
        yield f"The comments on lines were refused: {prose(clipped(share.refused, _TEXT))}"
    yield from _listed("", [_told(told, subject) for told in share.rest], rows)
    if notes := len(review.notes):
        yield f"{count(notes, 'note')} more: {code('mmcodemod review --fail-on info')} shows them."
    yield from _listed("Mended by this change:", [_mended(m, subject) for m in review.mended], rows)
    yield from _listed("Gone, not mended:", [_mended(m, subject) for m in review.gone], rows)
    yield from _listed(
        "Suppressions that this change adds (they count from the next change on):",
        [_silencing(s, subject) for s in review.silenced],
        rows,
    )
    problems = untold(review.problems, [t.finding for t in review.told], review.report.contexts)
    damaged = [p for p in problems if p.damage]
    broken = [_problem(p, subject) for p in damaged]
    yield from _listed("Not analysed, so nothing is known of it:", broken, rows)
    said = set(map(unread, damaged))
    unknown = [_sentence(text) for text in review.unknown if text not in said]
    others = [_problem(p, subject) for p in problems if not p.damage]
    yield from _listed("Not known:", [*unknown, *others], rows)
    if share.rest:
        yield f"{code('mmcodemod explain CODE')} tells more of a rule."


def _spread(share: Share) -> str:
    if not share.inline:
        return ""
    return f" {count(share.inline, 'comment')} on lines, the rest here." if share.rest else ""


def _listed(title: str, lines: Sequence[str], rows: int) -> Iterator[str]:
    if not lines:
        return
    shown = [f"- {line}" for line in lines[:rows]]
    if len(lines) > rows:
        shown.append(f"- and {len(lines) - rows} more: {code('mmcodemod review')} lists all")
    yield "\n".join([*([title, ""] if title else []), *shown])


def _told(told: Told, subject: Subject) -> str:
    return f"{place(told.finding.at, subject)} {headline(told.finding, subject)}: {message(told.finding)}"


def _mended(mended: Mended, subject: Subject) -> str:
    finding = mended.finding
    rule = code(f"{finding.rule} {subject.names.get(finding.rule, '')}")
    return f"{place(finding.at, subject)} {rule}"


def _silencing(silencing: Silencing, subject: Subject) -> str:
    rules = ", ".join(map(code, silencing.rules)) or "all rules"
    reason = f": {prose(clipped(silencing.reason, _TEXT))}" if silencing.reason else ""
    return f"{place(silencing.at, subject)} {rules}{reason}"


def _problem(problem: Problem, subject: Subject) -> str:
    where = place(Place(problem.path, problem.line), subject)
    return f"{where} {problem.kind}: {prose(clipped(problem.message, _TEXT))}"


def _sentence(text: str) -> str:
    return prose(clipped(text, _TEXT))


def ordered(told: Iterable[Told]) -> list[Told]:
    """The most serious first, then by place."""
    return sorted(told, key=lambda t: (-t.finding.severity.rank, t.finding.at, t.finding.rule, t.fingerprint))
