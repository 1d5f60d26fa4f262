"""The files that fixes make of a tree: encoding and line ends stay as they are."""

from __future__ import annotations

from collections.abc import Iterable

from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import Edit, adds_import, apply_edits, overlap
from mmcodemod.model.pattern import regex
from mmcodemod.source.tree import Tree, decode, encoding_of

_LINE_END = regex(r"\r\n|\n|\r")


class NotEncodable(ValueError):
    """A text that the encoding of its file cannot say; the message names the file."""


def edits_of(finding: Finding) -> tuple[Edit, ...]:
    return finding.fix.edits if finding.fix else ()


def paths_of(finding: Finding) -> set[str]:
    """The files that the fix of a finding changes."""
    return {edit.path for edit in edits_of(finding)}


def tied(paths: Iterable[str], together: Iterable[Iterable[str]]) -> set[str]:
    """The paths, and all that sets of files which belong together tie to them, over any number of sets."""
    found, waiting = set(paths), [set(files) for files in together]
    while hit := [files for files in waiting if files & found]:
        waiting = [files for files in waiting if not files & found]
        found.update(*hit)
    return found


def apart(landed: Iterable[Finding], tries: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Those of `tries` that clash with neither `landed` nor an earlier one of them, and the others."""
    taken = [edit for finding in landed for edit in edits_of(finding)]
    free, waiting = [], []
    for finding in tries:
        if any(_clash(edit, other) for edit in edits_of(finding) for other in taken):
            waiting.append(finding)
        else:
            free.append(finding)
            taken += edits_of(finding)
    return free, waiting


def _clash(one: Edit, other: Edit) -> bool:
    """Do two edits overlap, or add the same import at two places? On the changed text one may do for both."""
    twice = one.path == other.path and one.start != other.start and one.text.strip() == other.text.strip()
    return overlap(one, other) or (twice and adds_import(one.text))


def edited(tree: Tree, findings: Iterable[Finding]) -> dict[str, bytes]:
    """The files as the fixes of the findings make them.

    Raises:
        OverlappingEdits: when two of them touch the same text.
        NotEncodable: when a file cannot hold the new text.
    """
    by_path: dict[str, list[Edit]] = {}
    for edit in (edit for finding in findings for edit in edits_of(finding)):
        by_path.setdefault(edit.path, []).append(edit)
    return {path: _edited(tree, path, edits) for path, edits in sorted(by_path.items())}


def _edited(tree: Tree, path: str, edits: list[Edit]) -> bytes:
    data = tree.read_bytes(path)
    text, encoding = decode(path, data), encoding_of(path, data)
    try:
        return apply_edits(text, _in_style(text, edits)).encode(encoding)
    except UnicodeEncodeError:
        raise NotEncodable(f"the new text cannot be written in the encoding of {path}, {encoding}") from None


def _in_style(text: str, edits: list[Edit]) -> tuple[Edit, ...]:
    """The edits with the line ends of a file that has one kind alone."""
    ends = set(_LINE_END.findall(text))
    if len(ends) != 1:
        return tuple(edits)
    (end,) = ends
    return tuple(Edit(e.path, e.start, e.end, _LINE_END.sub(lambda _: end, e.text)) for e in edits)
