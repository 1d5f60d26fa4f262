"""Applies a diff to a tree in memory, byte for byte, and takes one back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from mmcodemod.model.change import FileChange, Hunk
from mmcodemod.model.pattern import regex
from mmcodemod.source.tree import Tree, UnreadableFile

_LINE = regex(rb"[^\n]*\n|[^\n]+")


class DoesNotApply(ValueError):
    """The lines of a diff are not those of the tree; the message names the first such place."""


@dataclass(frozen=True)
class PatchedTree:
    """`base` with other contents; None where a file is gone."""

    base: Tree
    changed: Mapping[str, bytes | None]

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All files, sorted."""
        there = {*self.base.paths, *self.changed}
        return tuple(sorted(path for path in there if self.changed.get(path, b"") is not None))

    @property
    def unread(self) -> frozenset[str]:
        """What the base does not look into."""
        return self.base.unread

    def read_bytes(self, path: str) -> bytes:
        """The content of a file.

        Raises:
            UnreadableFile: when there is none.
        """
        if path not in self.changed:
            return self.base.read_bytes(path)
        data = self.changed[path]
        if data is None:
            raise UnreadableFile(path, "io", "no such file")
        return data


def applied(tree: Tree, changes: Iterable[FileChange]) -> PatchedTree:
    """The tree with the changes. Files whose content the diff does not show (binary ones) are gone in it.

    Raises:
        DoesNotApply: when the lines of a hunk are not there.
        UnreadableFile: when a file that changes cannot be read.
    """
    changed: dict[str, bytes | None] = {}
    made: dict[str, bytes | None] = {}
    there = frozenset(tree.paths)
    for change in changes:
        if change.old and change.old not in there:
            raise DoesNotApply(f"{change.old}: no such file")
        if change.old and change.old != change.new and not change.copied:
            changed[change.old] = None
        after = None if change.binary else patched(_before(tree, there, change), change)
        if change.new:
            made[change.new] = after
        elif after and change.hunks:
            raise DoesNotApply(f"{change.old}: the diff deletes it, and shows only a part")
    return PatchedTree(tree, {**changed, **made})


def reverse(changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """What takes the changes back. A copy becomes a deletion without lines."""
    return tuple(_reverse(change) for change in changes)


def _reverse(change: FileChange) -> FileChange:
    if change.copied:
        return FileChange(change.new, "", (), change.binary)
    return replace(change, old=change.new, new=change.old, hunks=tuple(map(_reverse_hunk, change.hunks)))


def _reverse_hunk(hunk: Hunk) -> Hunk:
    swapped = {"+": "-", "-": "+", " ": " "}
    return Hunk(
        hunk.new_start,
        hunk.new_count,
        hunk.old_start,
        hunk.old_count,
        tuple(swapped[line[0]] + line[1:] for line in hunk.lines),
        hunk.new_open,
        hunk.old_open,
    )


def patched(before: bytes, change: FileChange) -> bytes:
    """The content of a file after its hunks, which must fit exactly.

    Raises:
        DoesNotApply: when they do not.
    """
    old = _LINE.findall(before)
    new: list[bytes] = []
    done = 0
    for hunk in change.hunks:
        start, removed = hunk.old_start - bool(hunk.old_count), _side(hunk, "-", hunk.old_open)
        if start < done or old[start : start + len(removed)] != removed:
            raise DoesNotApply(f"{change.old or change.new}:{hunk.old_start}: the diff shows other lines")
        new += [*old[done:start], *_side(hunk, "+", hunk.new_open)]
        done = start + len(removed)
    return b"".join([*new, *old[done:]])


def _side(hunk: Hunk, mark: str, is_open: bool) -> list[bytes]:
    """The old ("-") or new ("+") lines of a hunk, with their ends."""
    lines = [line[1:] + "\n" for line in hunk.lines if line[0] in (" ", mark)]
    if is_open and lines:
        lines[-1] = lines[-1][:-1]
    return [line.encode("utf-8", "surrogateescape") for line in lines]


def _before(tree: Tree, there: frozenset[str], change: FileChange) -> bytes:
    """What the file held. A new file may be there when it is empty: `diff -u` cannot tell these apart."""
    if change.old:
        return tree.read_bytes(change.old)
    if change.new in there and tree.read_bytes(change.new):
        raise DoesNotApply(f"{change.new}: the diff makes this file, and it is there")
    return b""
