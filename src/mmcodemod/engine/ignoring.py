"""The comment that silences one finding, as edits: where no comment can stand, there are none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mmcodemod.engine.builtin import MALFORMED, UNUSED
from mmcodemod.engine.comments import comments
from mmcodemod.engine.parses import parses
from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import Edit, Fix, apply_edits
from mmcodemod.model.grade import Applicability
from mmcodemod.source.lines import lines_of
from mmcodemod.source.tree import Tree, UnreadableFile, encoding_of, read_text

_NO_COMMENTS = (".md", ".json")  # strict JSON has none, and Python's own reader takes no other
_CONTINUED = "\\"


@dataclass(frozen=True)
class Ignoring:
    """The decision to silence a finding, with a reason for those who read the code."""

    reason: str = ""

    def __call__(self, finding: Finding, tree: Tree) -> Fix | None:
        """The comment as a fix; None where none can stand."""
        if finding.rule in (UNUSED.code, MALFORMED.code) or finding.at.path.endswith(_NO_COMMENTS):
            return None
        try:
            text = read_text(tree, finding.at.path)
        except UnreadableFile:
            return None
        edits = (e for e in _places(finding, lines_of(text), self._comment(finding)) if _fits(tree, text, e))
        edit = next(edits, None)
        return Fix(f"ignore {finding.rule} here", Applicability.SAFE, (edit,)) if edit else None

    def _comment(self, finding: Finding) -> str:
        said = " ".join("".join(c if c.isprintable() else " " for c in self.reason).split())
        return f"# mmcodemod: ignore[{finding.rule}] {said}".rstrip()


def _places(finding: Finding, lines: list[str], comment: str) -> Iterator[Edit]:
    """Alone on the line above, else at the end of the line; never into a line that is continued."""
    path, line = finding.at.path, finding.at.line
    if not 1 <= line <= len(lines):
        return
    here = lines[line - 1]
    if line == 1 or not lines[line - 2].endswith(_CONTINUED):
        indent = here[: len(here) - len(here.lstrip())]
        yield Edit(path, (line, 1), (line, 1), f"{indent}{comment}\n")
    if not here.endswith(_CONTINUED):
        end = (line, len(here) + 1)
        yield Edit(path, end, end, f"  {comment}")


def _fits(tree: Tree, text: str, edit: Edit) -> bool:
    """Is it a comment there, and the file what it was?"""
    after, before = apply_edits(text, (edit,)), tree.read_bytes(edit.path)
    try:
        data = after.encode(encoding_of(edit.path, before))
    except UnicodeEncodeError:
        return False
    marked = [c for c in comments(edit.path, after) if c.line == edit.start[0] and "mmcodemod" in c.text]
    return bool(marked) and parses(edit.path, data, before)
