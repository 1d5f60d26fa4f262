"""What is to be written, given what is there: nothing twice, and what is gone is marked as gone."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from mmcodemod.model.change import News, Told
from mmcodemod.model.pattern import regex
from mmcodemod.report.markup import details
from mmcodemod.review.comments import inline
from mmcodemod.review.posting import (
    DEFAULT_COMMENTS,
    NOTHING,
    Existing,
    Inline,
    Posting,
    Rewrite,
    Said,
    Subject,
    resolved_mark,
    same,
    unmarked,
)
from mmcodemod.review.summary import Share, has_news, ordered, settled, summary, version

_SUGGESTION = regex(r"^(`{3,})suggestion\S*$", re.MULTILINE)


@dataclass(frozen=True)
class _Spread:
    """The findings by what becomes of them: comments that stay, new ones, and those for the summary."""

    kept: list[tuple[Said, Inline]]
    fresh: list[Inline]
    rest: list[Told]


def plan(subject: Subject, existing: Existing = NOTHING, most: int = DEFAULT_COMMENTS) -> Posting:
    """What is to be written on a change. `most`: comments on lines, those that stand there included."""
    spread = _spread(subject, existing, most)
    kept = {said.id: made for said, made in spread.kept}
    rewrites = [_rewrite(said, kept.get(said.id), subject) for said in existing.inline]
    share = Share(len(spread.kept) + len(spread.fresh), tuple(spread.rest))
    done = tuple(r for r in rewrites if r is not None)
    return Posting(done, tuple(spread.fresh), _summary(subject, existing, share), existing.summary)


def without_lines(
    subject: Subject, existing: Existing, posting: Posting, refused: frozenset[str], words: str
) -> Posting:
    """The summary alone, for a forge that did not take some of the comments on lines: it holds what these
    fingerprints would say. `words` are those of the forge."""
    standing = {said.fingerprint for said in existing.inline if not said.outdated}
    leads = (standing | {inline.fingerprint for inline in posting.fresh}) - refused
    told = ordered(subject.review.told)
    groups = [{one.fingerprint for one in group} for group in _groups(told, standing)]
    on_lines = {mark for group in groups if group & leads for mark in group}
    rest = tuple(one for one in told if one.fingerprint not in on_lines)
    share = Share(sum(bool(group & leads) for group in groups), rest, words)
    return Posting((), (), _summary(subject, existing, share), existing.summary)


def _spread(subject: Subject, existing: Existing, most: int) -> _Spread:
    standing = {said.fingerprint: said for said in existing.inline if not said.outdated}
    told = ordered(subject.review.told)
    spread = _Spread([], [], [])
    left = most - sum(t.fingerprint in standing for t in told)
    for one, *others in _groups(told, standing):
        said = standing.get(one.fingerprint)
        made = inline(one, subject, others) if said or left > 0 else None
        if made is None:
            spread.rest.extend([one, *others])
        elif said:
            spread.kept.append((said, made))
        else:
            spread.fresh.append(made)
            left -= 1
    return spread


def _groups(told: Sequence[Told], standing: Container[str]) -> list[list[Told]]:
    """Findings that share a comment: of one rule on one line, or made fatal elsewhere by one line. First that
    which a comment is about already."""
    groups: dict[object, list[Told]] = {}
    for one in told:
        groups.setdefault(_group(one), []).append(one)
    return [sorted(group, key=lambda t: t.fingerprint not in standing) for group in groups.values()]


def _group(told: Told) -> object:
    at, finding = told.at, told.finding
    if at is None:
        return told.fingerprint
    elsewhere = told.news is News.ACTIVATED and (at.path, at.line) != (finding.at.path, finding.at.line)
    return at.path, at.line, "" if elsewhere else finding.rule


def _rewrite(said: Said, made: Inline | None, subject: Subject) -> Rewrite | None:
    """What becomes of a comment that is there. One whose finding holds, but for lines that the change does
    not show any more, stays as it is."""
    if made is None:
        holds = not said.outdated and _holds(said, subject)
        return None if holds else Rewrite(said, _gone(said, subject), resolved=True)
    body = made.body if said.lines == made.spot.lines else made.plain
    return None if same(said.body, body) else Rewrite(said, body)


def _gone(said: Said, subject: Subject) -> str:
    """The old text behind a click, without anything to take over."""
    head = version(subject.review)
    anew = f"**Outdated**: told anew for {head}."
    title = anew if _holds(said, subject) else f"**Resolved** in {head}."
    old = details("What it was", _SUGGESTION.sub(r"\1", unmarked(said.body)))
    return f"{title}\n\n{old}\n{resolved_mark(said.fingerprint)}"


def _holds(said: Said, subject: Subject) -> bool:
    return any(told.fingerprint == said.fingerprint for told in subject.review.told)


def _summary(subject: Subject, existing: Existing, share: Share) -> str:
    """The summary to write; empty when the one that is there says so already, or there is nothing to say."""
    standing = existing.summary
    if has_news(subject.review):
        text = summary(subject, share)
    elif standing is None:
        return ""
    else:
        text = settled(subject.review)
    return "" if standing is not None and same(standing.body, text) else text
