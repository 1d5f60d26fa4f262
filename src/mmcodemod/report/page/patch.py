"""What a fix would change, as a coloured diff."""

from __future__ import annotations

from collections.abc import Callable

from mmcodemod.model.fix import Fix, OverlappingEdits, apply_edits
from mmcodemod.report.diff import diff
from mmcodemod.report.page.element import EMPTY, Html, element
from mmcodemod.source.tree import Tree, UnreadableFile, read_text

LONGEST = 80  # lines of one diff
_KINDS = {"+": "add", "-": "remove", "@": "hunk"}


def patch(tree: Tree, fix: Fix) -> Html:
    """The diff; empty for a fix without edits, or when the files are no longer those that were checked."""
    try:
        texts = {path: read_text(tree, path) for path in sorted({edit.path for edit in fix.edits})}
        after = {p: apply_edits(t, tuple(e for e in fix.edits if e.path == p)) for p, t in texts.items()}
    except (UnreadableFile, OverlappingEdits, IndexError):
        return EMPTY
    return coloured(diff(_encoded(texts), _encoded(after)).decode().split("\n")[:-1])


def coloured(lines: list[str]) -> Html:
    """Lines of a unified diff."""
    return _block(lines, _kind, "code diff")


def preformatted(lines: list[str]) -> Html:
    """Lines as they are."""
    return _block(lines, lambda line: None, "code plain")


def _block(lines: list[str], kind: Callable[[str], str | None], name: str) -> Html:
    rows = [element("span", *_tabbed(line.removesuffix("\r")), class_=kind(line)) for line in lines[:LONGEST]]
    if len(lines) > LONGEST:
        rows.append(element("span", f"… {len(lines) - LONGEST} more lines", class_="hunk"))
    return element("pre", *rows, class_=name) if rows else EMPTY


def _kind(line: str) -> str | None:
    return "file" if line.startswith(("--- ", "+++ ")) else _KINDS.get(line[:1])


def _tabbed(line: str) -> list[str]:
    parts = line.split("\t")
    return [part for text in parts[:-1] for part in (text, Html("\t"))] + parts[-1:]


def _encoded(texts: dict[str, str]) -> dict[str, bytes]:
    return {path: text.encode("utf-8", "backslashreplace") for path, text in texts.items()}
