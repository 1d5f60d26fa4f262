"""Suppressions: `# mmcodemod: ignore[MM201] reason` on the line of a finding, or alone on the line above."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from mmcodemod.engine.builtin import MALFORMED, UNUSED
from mmcodemod.engine.comments import Comment, comments
from mmcodemod.engine.unsuppress import fix, removal
from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import Edit, Fix
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.grade import Confidence, Severity
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.source.lines import lines_of
from mmcodemod.source.tree import Tree, UnreadableFile, decode

_MARK = regex(r"(?:#|//|/\*)\s*mmcodemod:\s*ignore\b(?P<named>\s*\[(?P<names>[^\]]*)\])?")


@frozen()
class Suppressed:
    """The three outcomes: findings that stay, findings that a comment silences, and findings about comments
    that silence nothing or are malformed."""

    kept: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]
    unused: tuple[Finding, ...]

    def __iter__(self) -> Iterator[tuple[Finding, ...]]:
        return iter((self.kept, self.suppressed, self.unused))


@mutable()
class _Suppression:
    """One comment: where it is, the line of code it speaks of, what it names and says, the edits that replace
    its names and that take it away, and what of it was used."""

    at: Place
    line: int
    names: tuple[str, ...]
    reason: str
    bracket: Edit
    whole: Edit | None
    used: set[str] = field(default_factory=set)


@frozen()
class Written:
    """A suppression as it is written: where, which rules it names, and what else it says."""

    at: Place
    names: tuple[str, ...]
    reason: str


def _every_rule(_: str) -> bool:
    return True


def _every_place(_: Place) -> bool:
    return True


def suppress(
    tree: Tree,
    findings: Iterable[Finding],
    names: Mapping[str, str] | None = None,
    ran: Callable[[str], bool] = _every_rule,
    counts: Callable[[Place], bool] = _every_place,
) -> Suppressed:
    """Split findings by the suppressions in the tree. `names` maps the codes of all rules to their names
    (default: the registry's); `ran` says whether a code was selected: nothing is said of comments for others.
    `counts` says whether the suppression at a place counts: the others do not exist.
    """
    known = _registered() if names is None else names
    suppressions = {path: found for path in tree.paths if (found := _counting(tree, path, counts))}
    kept: list[Finding] = []
    silenced: list[Finding] = []
    for finding in findings:
        hit = _silences(suppressions.get(finding.at.path, ()), finding, known)
        (silenced if hit else kept).append(finding)
    every = [one for found in suppressions.values() for one in found]
    return Suppressed(tuple(kept), tuple(silenced), tuple(_complaints(every, known, ran)))


def written(tree: Tree, path: str) -> list[Written]:
    """The suppressions in one file, those that are malformed as well, in order."""
    return [Written(one.at, one.names, one.reason) for one in _suppressions(tree, path)]


def _counting(tree: Tree, path: str, counts: Callable[[Place], bool]) -> list[_Suppression]:
    return [one for one in _suppressions(tree, path) if counts(one.at)]


def _registered() -> Mapping[str, str]:
    from mmcodemod.engine.registry import names

    return names()


def _suppressions(tree: Tree, path: str) -> list[_Suppression]:
    try:
        data = tree.read_bytes(path)
        if b"mmcodemod:" not in data:
            return []
        text = decode(path, data)
    except UnreadableFile:
        return []  # whoever reads the file first reports it
    lines = lines_of(text)
    found = ((comment, _MARK.search(comment.text)) for comment in comments(path, text))
    return [_suppression(path, comment, mark, lines) for comment, mark in found if mark]


def _suppression(path: str, comment: Comment, mark: re.Match[str], lines: list[str]) -> _Suppression:
    begin = comment.column + mark.start()
    at = Place(path, comment.line, begin, comment.line, comment.column + mark.end())
    names = tuple(name.strip() for name in (mark["names"] or "").split(",") if name.strip())
    line = _next_code(lines, comment.line) if comment.alone else comment.line
    reason = comment.text[mark.end() :].removesuffix("*/").strip()
    begin, end = (comment.column + column for column in mark.span("names"))
    bracket = Edit(path, (comment.line, begin), (comment.line, end), "")
    return _Suppression(at, line, names, reason, bracket, removal(path, comment, mark, lines))


def _next_code(lines: list[str], line: int) -> int:
    """The first line after `line` that holds more than a comment (so that suppressions can be stacked)."""
    while line < len(lines) and lines[line].lstrip().startswith(("#", "//")):
        line += 1
    return line + 1


def _silences(found: Sequence[_Suppression], finding: Finding, known: Mapping[str, str]) -> bool:
    hit = False
    for one in found:
        if one.line in (finding.at.line, finding.at.last_line) or one.at.line == finding.at.line:
            used = {name for name in one.names if _means(name, finding.rule, known)}
            one.used |= used
            hit = hit or bool(used)
    return hit


def _means(name: str, code: str, known: Mapping[str, str]) -> bool:
    return name == known.get(code) or (len(name) > 2 and name.startswith("MM") and code.startswith(name))


def _complaints(
    found: Iterable[_Suppression], known: Mapping[str, str], ran: Callable[[str], bool]
) -> Iterator[Finding]:
    for one in sorted(found, key=lambda s: s.at):
        if not one.names and ran(MALFORMED.code):
            yield _malformed(one)
        idle = [name for name in one.names if name not in one.used and _has_run(name, known, ran)]
        if idle and ran(UNUSED.code):
            yield _unused(one, idle, known)


def _has_run(name: str, known: Mapping[str, str], ran: Callable[[str], bool]) -> bool:
    """Did a rule of this name run? A name that no rule has is always worth a word."""
    meant = [code for code in known if _means(name, code, known)]
    return any(ran(code) for code in meant) if meant else True


def _unused(one: _Suppression, idle: Sequence[str], known: Mapping[str, str]) -> Finding:
    strangers = [name for name in idle if not any(_means(name, code, known) for code in known)]
    message = f"This comment silences no finding of {', '.join(idle)}."
    if strangers:
        message += f" No rule is called {', '.join(strangers)}."
    return _complaint(UNUSED.code, one, message, ",".join(idle), fix(idle, one.names, one.bracket, one.whole))


def _malformed(one: _Suppression) -> Finding:
    return _complaint(MALFORMED.code, one, "This comment silences nothing, because it names no rule.", "")


def _complaint(code: str, one: _Suppression, message: str, anchor: str, fix: Fix | None = None) -> Finding:
    return Finding(code, one.at, message, Severity.WARNING, Confidence.EXACT, fix=fix, anchor=anchor)
