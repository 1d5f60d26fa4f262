"""Reviewdog Diagnostic Format, one JSON object (reviewdog, proto/rdf/reviewdog.proto).

Columns count bytes of UTF-8 and ends are exclusive. A suggestion replaces one range of the file of the
diagnostic, so a fix that touches another file, too, is told in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import Edit, Fix, OverlappingEdits, joined
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report import json
from mmcodemod.report.order import ordered
from mmcodemod.report.words import advice, from_top, plain
from mmcodemod.source.lines import lines_of
from mmcodemod.source.tree import Tree, UnreadableFile, read_text

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(report: Report, tree: Tree, names: Mapping[str, str], folder: str = "") -> str:
    """All findings. The tree is read for the columns and the suggestions."""
    texts = _Texts(tree)
    source: json.Object = {"name": "mmcodemod"}
    found: list[json.Value] = [_diagnostic(f, names, folder, texts) for f in ordered(report.findings)]
    return json.dump({"source": source, "diagnostics": found})


class _Texts:
    """The files of findings, each read and split once; None for what cannot be read (any more)."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.text = cache(self._text)
        self.lines = cache(self._lines)

    def _text(self, path: str) -> str | None:
        try:
            return read_text(self._tree, path)
        except UnreadableFile:
            return None

    def _lines(self, path: str) -> list[str]:
        return lines_of(self.text(path) or "")

    def position(self, path: str, line: int, column: int) -> json.Object:
        """A position with its column in bytes; only the line where the text does not have the column."""
        lines = self.lines(path)
        if not 1 <= line <= len(lines) or not 1 <= column <= len(lines[line - 1]) + 1:
            return {"line": max(line, 1)}
        before = lines[line - 1][: column - 1]
        return {"line": line, "column": len(before.encode("utf-8", "surrogatepass")) + 1}


def _diagnostic(finding: Finding, names: Mapping[str, str], folder: str, texts: _Texts) -> json.Object:
    name = names.get(finding.rule, "")
    message = plain(f"{name}: {finding.message}" if name else finding.message)
    return {
        "message": f"{message} Fix, {advice(finding.fix)}." if finding.fix else message,
        "location": {"path": from_top(finding.at.path, folder), **_range(finding.at, texts)},
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.rule},
        **_suggestions(finding, texts),
    }


def _range(at: Place, texts: _Texts) -> json.Object:
    """Nothing for a place without a line, which means the file."""
    if not at.line:
        return {}
    found: json.Object = {"start": texts.position(at.path, at.line, at.column)}
    if at.end_line:
        found["end"] = texts.position(at.path, at.end_line, at.end_column)
    return {"range": found}


def _suggestions(finding: Finding, texts: _Texts) -> json.Object:
    edit = _whole(finding.fix, finding.at.path, texts) if finding.fix else None
    if edit is None:
        return {}
    start, end = (texts.position(edit.path, *at) for at in (edit.start, edit.end))
    suggestion: json.Object = {"range": {"start": start, "end": end}, "text": edit.text}
    return {"suggestions": [suggestion]}


def _whole(fix: Fix, path: str, texts: _Texts) -> Edit | None:
    """The whole fix as one edit of this file, when that is possible."""
    text = texts.text(path)
    if fix.applicability is Applicability.DISPLAY or text is None or {e.path for e in fix.edits} != {path}:
        return None
    try:
        return joined(text, fix.edits)
    except (OverlappingEdits, IndexError):
        return None
