"""Reads unified diffs: those of git (renames, copies, modes, binary files, quoted names) and of `diff -u`.

Text is decoded as UTF-8 with surrogates for other bytes, so that a hunk gives back the bytes it was made of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from mmcodemod.model.change import FileChange, Hunk
from mmcodemod.model.pattern import regex
from mmcodemod.review.names import Named, bare, name_of, names_of, unquoted

LIMIT = 64_000_000
"""Bytes of a diff that is still read."""

_HUNK = regex(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_NEVER = regex(r"\t(?:1970-01-01|1969-12-31) ")  # `diff -N` writes this date of a file that is not there
_OPEN = "\\"  # "\ No newline at end of file"
_REGULAR = "100"  # begins the modes of files; others are links (120000) and submodules (160000)


class BadDiff(ValueError):
    """Text that is no diff; the message names the line."""


def parse(data: bytes) -> tuple[FileChange, ...]:
    """The files of a diff, sorted by path.

    Raises:
        BadDiff: when it is larger than LIMIT, or broken.
    """
    if len(data) > LIMIT:
        raise BadDiff(f"the diff is too large: more than {LIMIT // 1_000_000} MB")
    reader = _Reader(data.decode("utf-8", "surrogateescape").split("\n"))
    found = reader.files()
    if not found and data.strip():
        raise BadDiff("line 1: this is no diff: it has no line `--- NAME`, `diff --git` or `@@`")
    return in_order(bare(found))


def in_order(changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """Sorted by path."""
    return tuple(sorted(changes, key=lambda change: (change.new or change.old, change.old)))


@dataclass
class _Header:
    """What the lines before the hunks say of one file."""

    git: bool = False
    old: str = ""
    new: str = ""
    created: bool = False
    deleted: bool = False
    copied: bool = False
    binary: bool = False
    moved: dict[str, str] = field(default_factory=dict)


@dataclass
class _Reader:
    """Lines, and how far they are read."""

    lines: list[str]
    at: int = 0
    hunks: list[Hunk] = field(default_factory=list)

    def files(self) -> list[Named]:
        found = []
        while (begin := self._begin()) is not None:
            self.at = begin
            found.append(self._file())
        return found

    def _begin(self) -> int | None:
        """The line where the next file begins; text between files (a mail, `Only in ...`) is no part."""
        for at in range(self.at, len(self.lines)):
            line = self.lines[at]
            if line.startswith("diff --git ") or self._names_follow(at):
                return at
            if _HUNK.match(line):
                raise BadDiff(f"line {at + 1}: a hunk before the name of its file")
        return None

    def _names_follow(self, at: int) -> bool:
        three = self.lines[at : at + 3]
        return len(three) > 1 and three[0].startswith("--- ") and three[1].startswith("+++ ")

    def _file(self) -> Named:
        header = _Header()
        if self.lines[self.at].startswith("diff --git "):
            header.git = True
            header.old, header.new = names_of(self.lines[self.at].rstrip("\r")[len("diff --git ") :])
            self.at += 1
            self._extended(header)
        if self.at < len(self.lines) and self._names_follow(self.at):
            self._names(header)
        hunks = tuple(self._hunks())
        self._refuse_more()
        return _named(header, () if header.binary else hunks)

    def _refuse_more(self) -> None:
        line = self.lines[self.at] if self.at < len(self.lines) else ""
        if line.startswith("+") or (line.startswith("-") and not line.startswith("--")):
            raise BadDiff(f"line {self.at + 1}: the hunk has more lines than its head says")

    def _extended(self, header: _Header) -> None:
        """The lines of git between its first line and `---`."""
        while self.at < len(self.lines) and not self._names_follow(self.at):
            line = self.lines[self.at].rstrip("\r")
            if line.startswith(("diff --git ", "@@ ")) or not _extended_line(header, line):
                return
            self.at += 1
            if line == "GIT binary patch":
                self._skip_binary()

    def _skip_binary(self) -> None:
        while self.at < len(self.lines) and not self.lines[self.at].startswith("diff --git "):
            self.at += 1

    def _names(self, header: _Header) -> None:
        first, second = self.lines[self.at][4:], self.lines[self.at + 1][4:]
        old, new = name_of(first), name_of(second)
        header.created |= old == "/dev/null" or bool(_NEVER.search(first))
        header.deleted |= new == "/dev/null" or bool(_NEVER.search(second))
        header.old = header.old if old == "/dev/null" else old
        header.new = header.new if new == "/dev/null" else new
        self.at += 2

    def _hunks(self) -> Iterable[Hunk]:
        while self.at < len(self.lines) and (found := _HUNK.match(self.lines[self.at])):
            old_start, old, new_start, new = (1 if part is None else int(part) for part in found.groups())
            self.at += 1
            lines, opened = self._hunk(old, new)
            ends = bool(opened & {" ", "-"}), bool(opened & {" ", "+"})
            yield Hunk(old_start, old, new_start, new, lines, *ends)

    def _hunk(self, old: int, new: int) -> tuple[tuple[str, ...], set[str]]:
        """The lines of a hunk, and with what those begin that have no line end."""
        begin, left = self.at, {"-": old, "+": new}
        lines: list[str] = []
        opened: set[str] = set()
        while left["-"] or left["+"] or self._is_open():
            line = self._next(begin) or " "  # an editor took the space of an empty line away
            if line.startswith(_OPEN):
                opened.update(lines[-1][:1] if lines else ())
                continue
            lines.append(line)
            for side in "-+" if line[0] == " " else line[0]:
                self._count(left, side)
        return tuple(lines), opened

    def _is_open(self) -> bool:
        return self.at < len(self.lines) and self.lines[self.at].startswith(_OPEN)

    def _next(self, begin: int) -> str:
        if self.at >= len(self.lines) or (self.at == len(self.lines) - 1 and not self.lines[self.at]):
            raise BadDiff(f"line {begin}: the diff ends inside this hunk")
        self.at += 1
        return self.lines[self.at - 1]

    def _count(self, left: dict[str, int], side: str) -> None:
        if side not in left:
            raise BadDiff(f"line {self.at}: a line of a hunk begins with a space, + or -, not {side!r}")
        if not left[side]:
            raise BadDiff(f"line {self.at}: the hunk has more lines than its head says")
        left[side] -= 1


def _extended_line(header: _Header, line: str) -> bool:
    """Take one line between `diff --git` and the hunks; False when it is none of those."""
    word, _, rest = line.partition(" ")
    if word in ("rename", "copy"):
        side, _, name = rest.partition(" ")
        header.moved[side] = unquoted(name)
        header.copied |= word == "copy"
    elif word in ("new", "deleted", "old"):
        mode = rest.rpartition("mode ")[2]
        header.created |= line.startswith("new file")
        header.deleted |= word == "deleted"
        header.binary |= not mode.startswith(_REGULAR)
    elif line.startswith("index ") and " " in rest:
        header.binary |= not rest.rpartition(" ")[2].startswith(_REGULAR)
    elif line.startswith(("Binary files ", "GIT binary patch")):
        header.binary = True
    return word in ("rename", "copy", "new", "deleted", "old", "index", "similarity", "dissimilarity",
                    "Binary", "GIT")  # fmt: skip


def _named(header: _Header, hunks: tuple[Hunk, ...]) -> Named:
    """The change of one file."""
    old = "" if header.created else header.moved.get("from", header.old)
    new = "" if header.deleted else header.moved.get("to", header.new)
    change = FileChange(old, new, hunks, header.binary, header.copied)
    return Named(change, (header.old, header.new), bool(header.moved), header.git)
