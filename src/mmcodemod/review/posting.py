"""What is said on a change, before any forge is asked: comments on lines and one summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mmcodemod.model.change import Review
from mmcodemod.model.pattern import regex
from mmcodemod.review.spots import Spot
from mmcodemod.source.tree import Tree

DEFAULT_COMMENTS = 15
"""Comments on lines of one change; what is more stands in the summary."""

MOST = 60_000
"""Characters of one comment: GitHub takes 65,536."""

_END = regex(r"\n<!-- mmcodemod:(finding|resolved|summary)=?([0-9a-f]{16})? -->\s*\Z")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a forge makes of a comment. `suggestion` opens a block that can be taken over with a click, and
    `{above}` in it is the number of lines above the last; empty where there is no such thing. `most` is the
    length of a comment in characters."""

    suggestion: str = ""
    most: int = MOST


@dataclass(frozen=True)
class Subject:
    """A review with all that is needed to speak of it. `names` maps codes to rule names, `pages`
    to their pages in Markdown."""

    review: Review
    tree: Tree
    names: Mapping[str, str]
    dialect: Dialect = Dialect()
    pages: Mapping[str, str] = field(default_factory=dict)

    def path(self, path: str) -> str:
        """A path of the tree as the repository has it."""
        return f"{self.review.folder}/{path}" if self.review.folder and path else path


@dataclass(frozen=True, slots=True)
class Inline:
    """A comment on lines. `plain` is the body without a suggestion, for a comment that stands elsewhere."""

    spot: Spot
    fingerprint: str
    body: str
    plain: str


@dataclass(frozen=True, slots=True)
class Said:
    """One of our own comments on a forge. `lines`: where it stands (first, last), None when the forge does
    not tell; `outdated`: the lines are no longer in the change."""

    id: str
    fingerprint: str
    body: str
    lines: tuple[int, int] | None = None
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class Existing:
    """Our own comments on a change: those on lines that still hold, and the summary."""

    inline: tuple[Said, ...] = ()
    summary: Said | None = None


NOTHING = Existing()


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A new body for a comment that is there. `resolved`: its finding is gone."""

    said: Said
    body: str
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class Posting:
    """All that is to be written. `summary` is empty when none is to be written; it goes into `standing` when
    that is there."""

    rewrites: tuple[Rewrite, ...] = ()
    fresh: tuple[Inline, ...] = ()
    summary: str = ""
    standing: Said | None = None

    @property
    def empty(self) -> bool:
        return not (self.rewrites or self.fresh or self.summary)


def finding_mark(fingerprint: str) -> str:
    return _mark("finding", fingerprint)


def resolved_mark(fingerprint: str) -> str:
    return _mark("resolved", fingerprint)


def summary_mark() -> str:
    return "\n<!-- mmcodemod:summary -->"


def _mark(kind: str, fingerprint: str) -> str:
    """Hidden, and the last line of a body: what is quoted above cannot stand there."""
    return f"\n<!-- mmcodemod:{kind}={fingerprint} -->"


def marked(body: str) -> tuple[str, str]:
    """What a body is ("finding", "resolved", "summary" or empty for none of ours), and the fingerprint."""
    found = _END.search(body.replace("\r\n", "\n"))
    return (found[1], found[2] or "") if found else ("", "")


def unmarked(body: str) -> str:
    return _END.sub("", body.replace("\r\n", "\n")).strip()


def same(one: str, other: str) -> bool:
    """Do two bodies say the same? Forges change line ends and strip."""
    return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()
