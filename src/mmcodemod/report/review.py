"""What a person sees of the review of a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from mmcodemod.model.change import READ_BADLY, FileChange, Mended, News, Review, Silencing, Told
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.report.commands import with_commands
from mmcodemod.report.escape import visible
from mmcodemod.report.text import Style, block
from mmcodemod.report.words import count, few, labels, tally
from mmcodemod.report.wrapped import paragraph
from mmcodemod.source.lines import lines_of
from mmcodemod.source.tree import Tree, UnreadableFile, read_text

_OBJECT = 40  # digits of the name of a commit, at least


def render(review: Review, tree: Tree, names: Mapping[str, str], style: Style) -> str:
    """A whole review. The tree is that of the new version, `names` maps codes to rule names."""
    page = _Page(review, tree, names, style)
    told = [page.told(told) for told in review.told]
    if not style.summary:
        return "\n".join(told)
    parts = [*told, page.mended(), page.gone(), page.silenced(), page.unknown()]
    return "\n".join([*filter(None, parts), f"{summary(review)}\n"])


def summary(review: Review, mark: str = "") -> str:
    """The last line: what is new, and between which versions, these between marks."""
    told = review.told
    news = f"{tally(t.finding for t in told)} new" if told else "nothing new"
    if notes := len(review.notes):
        news += f", {count(notes, 'note')} (--fail-on info shows {'it' if notes == 1 else 'them'})"
    parts = [news, *_counts(review), f"{count(len(review.changes), 'file')} changed"]
    return " · ".join([*parts, f"{mark}{_name(review.base)}..{_name(review.head)}{mark}"])


def _counts(review: Review) -> Iterator[str]:
    if review.mended:
        yield f"{len(review.mended)} mended"
    if review.stopped:
        number = len(review.stopped)
        yield f"{count(number, 'run')} {'does' if number == 1 else 'do'} not start"
    if unread := sorted({p.path for p in review.problems if p.kind in READ_BADLY}):
        yield f"{visible(few(unread, 1))} cannot be read: what it holds is not known"
    if review.silenced:
        yield count(len(review.silenced), "suppression") + " added"


@frozen()
class _Page:
    """What all parts of one review need."""

    review: Review
    tree: Tree
    names: Mapping[str, str]
    style: Style

    def told(self, told: Told) -> str:
        """As in a check, and behind the first line what brought it."""
        finding = with_commands(told.finding, self.review.report.contexts)
        shown = block(finding, self.review.report, self.tree, self.names, self.style)
        first, _, rest = shown.partition("\n")
        return "\n".join([first, *self._brought(told), rest])

    def mended(self) -> str:
        rows = [self._mended(mended) for mended in self.review.mended]
        return _section("mended by this change", rows)

    def gone(self) -> str:
        rows = [self._mended(mended) for mended in self.review.gone]
        return _section("gone with its file or its runs, not mended", rows)

    def silenced(self) -> str:
        rows = [f"  {_silencing(silencing)}" for silencing in self.review.silenced]
        return _section("suppressions that this change adds (they count once it is merged)", rows)

    def unknown(self) -> str:
        sentences = (paragraph(visible(s), "  - ", self.style.columns) for s in self.review.unknown)
        return _section("notes", [line for lines in sentences for line in lines])

    def _brought(self, told: Told) -> Iterator[str]:
        if told.news is News.INTRODUCED:
            words = "introduced by this change"
        elif told.at is None:
            words = "activated by this change, though by none of its lines"
        else:
            words = f"activated by {visible(str(told.at))}{self._line(told.at)}"
        yield f"  {words}"
        if set(told.finding.contexts) - set(told.contexts) and told.contexts:
            known = labels(self.review.report.contexts)
            runs = few([known.get(run, visible(run)) for run in sorted(told.contexts)])
            yield from paragraph(runs, "  new for  ", self.style.columns)

    def _line(self, at: Place) -> str:
        """What the line says; of a line that only stands where others went, that."""
        if at.line not in self._added.get(at.path, ()):
            return ", where lines went"
        try:
            lines = lines_of(read_text(self.tree, at.path))
        except UnreadableFile:
            return ""
        text = lines[at.line - 1].strip() if at.line <= len(lines) else ""
        return f"   {visible(text[:72])}" if text else ""

    @cached_property
    def _added(self) -> dict[str, frozenset[int]]:
        """Path -> the lines that the change adds."""
        return {change.new: frozenset(_added(change)) for change in self.review.changes}

    def _mended(self, mended: Mended) -> str:
        finding = mended.finding
        name = self.names.get(finding.rule, "")
        return f"  {visible(str(finding.at))}  {finding.rule} {name}".rstrip()


def _added(change: FileChange) -> Iterator[int]:
    for hunk in change.hunks:
        kept = (line[0] for line in hunk.lines if line[0] != "-")
        yield from (number for number, mark in enumerate(kept, hunk.new_start) if mark == "+")


def _section(title: str, rows: list[str]) -> str:
    return "\n".join([title, *rows]) + "\n" if rows else ""


def _silencing(silencing: Silencing) -> str:
    rules = visible(", ".join(silencing.rules)) or "no rule"
    return f"{visible(str(silencing.at))}  {rules}  {visible(silencing.reason)}".rstrip()


def _name(version: str) -> str:
    """A commit by its first digits."""
    return version[:12] if len(version) >= _OBJECT and version.isalnum() else visible(version)
