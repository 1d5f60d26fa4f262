"""A fix is a titled set of edits with an applicability."""

from __future__ import annotations

from mmcodemod.model.frozen import held
from mmcodemod.model.grade import Applicability


@held(order=True, slots=True)
class Edit:
    """Replace the text from `start` to `end` (line, column; both from 1, columns in code points, end
    exclusive) of `path` by `text`."""

    path: str
    start: tuple[int, int]
    end: tuple[int, int]
    text: str


@held(slots=True)
class Fix:
    """What a codemod proposes. `title` is an imperative phrase: "add "gradient_clipping": "auto""."""

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...] = ()

    def edits_of(self, path: str) -> tuple[Edit, ...]:
        """Those in one file."""
        return tuple(edit for edit in self.edits if edit.path == path)


class OverlappingEdits(ValueError):
    """Two edits of one file touch the same text."""


def overlap(one: Edit, other: Edit) -> bool:
    """Do two edits touch the same text? Equal ones do not, nor do insertions at one place."""
    if one.path != other.path or one == other:
        return False
    first, second = sorted((one, other), key=lambda e: (e.start, e.end))
    return second.start < first.end


def apply_edits(text: str, edits: tuple[Edit, ...]) -> str:
    """Return `text` with all edits made. Line ends of untouched text are kept byte for byte. Equal edits are
    made once; what is inserted at one place keeps its order, but for imports, which come first.

    Raises:
        OverlappingEdits: when two different edits overlap.
    """
    starts = _line_starts(text)
    spans = {(_offset(starts, e.start), _offset(starts, e.end), e.text): None for e in edits}
    out, at = [], 0
    for begin, end, new in sorted(spans, key=lambda span: (span[0], span[1], not adds_import(span[2]))):
        if begin < at:
            raise OverlappingEdits(f"edits overlap at offset {begin}")
        out += [text[at:begin], new]
        at = end
    return "".join([*out, text[at:]])


def joined(text: str, edits: tuple[Edit, ...]) -> Edit:
    """The one edit that does what all `edits` of a file with this `text` do, as small as it can be.

    Raises:
        OverlappingEdits: when two different edits overlap.
    """
    start, end = min(e.start for e in edits), max(e.end for e in edits)
    starts = _line_starts(text)
    behind = len(text) - _offset(starts, end)
    changed = apply_edits(text, edits)
    return Edit(edits[0].path, start, end, changed[_offset(starts, start) : len(changed) - behind])


def adds_import(text: str) -> bool:
    """Does a text that is inserted begin with an import?"""
    return text.lstrip().startswith(("import ", "from "))


def _line_starts(text: str) -> list[int]:
    """Offsets of line starts; a line ends at \\n, \\r\\n or \\r, as for Python's tokenizer."""
    starts, at = [0], 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        if line.endswith(("\n", "\r")):
            starts.append(at)
    return starts


def _offset(starts: list[int], position: tuple[int, int]) -> int:
    line, column = position
    return starts[line - 1] + column - 1
