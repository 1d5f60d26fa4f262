"""A unified diff of what `fix` would write, exact enough for `git apply`."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from mmcodemod.report.colour import Palette
from mmcodemod.report.escape import visible_lines


def diff(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bytes:
    """The changes of all files, sorted by path. Bytes, because a file may have any encoding."""
    return b"".join(b"".join(_file(path, before[path], after[path])) for path in sorted(after))


def for_terminal(text: bytes, palette: Palette) -> str:
    """The diff for people: coloured, and harmless to a terminal."""
    lines = visible_lines(text.decode("utf-8", "surrogateescape").replace("\r\n", "\n")).split("\n")
    return "\n".join(_painted(line, palette) for line in lines)


def _file(path: str, before: bytes, after: bytes) -> Iterator[bytes]:
    name = path.encode("utf-8", "surrogateescape")
    old, new = b"a/" + name, b"b/" + name
    for line in difflib.diff_bytes(difflib.unified_diff, _lines(before), _lines(after), old, new):
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _lines(data: bytes) -> list[bytes]:
    """Split at line feeds only, as diff and git do."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _painted(line: str, palette: Palette) -> str:
    if line.startswith(("---", "+++")):
        return palette.paint("bold", line)
    style = {"+": "add", "-": "remove", "@": "hunk"}.get(line[:1])
    return palette.paint(style, line) if style else line
