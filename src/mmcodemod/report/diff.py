"""A unified diff of what `fix` would write, which `git apply` and `git apply --reverse` take.

Without the lines `diff --git`: then git takes the paths as relative to the folder in which it is run, which
need not be the top of the repository.
"""

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
    old, new = _name("a/" + path), _name("b/" + path)
    for line in difflib.diff_bytes(difflib.unified_diff, _lines(before), _lines(after), old, new):
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _name(path: str) -> bytes:
    """As git writes names: quoted when they hold what would end or change a line, and after a space a tab,
    which ends the name."""
    name = path.encode("utf-8", "surrogateescape")
    if any(byte < 0x20 or byte in b'"\\\x7f' for byte in name):
        return b'"' + b"".join(_QUOTED.get(byte, bytes([byte])) for byte in name) + b'"'
    return name + b"\t" if b" " in name else name


_QUOTED = {
    **{byte: b"\\%03o" % byte for byte in (*range(0x20), 0x7F)},
    **{ord(mark): b"\\" + mark.encode() for mark in '"\\'},
}


def _lines(data: bytes) -> list[bytes]:
    """Split at line feeds only, as diff and git do."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _painted(line: str, palette: Palette) -> str:
    if line.startswith(("---", "+++")):
        return palette.paint("bold", line)
    style = {"+": "add", "-": "remove", "@": "hunk"}.get(line[:1])
    return palette.paint(style, line) if style else line
