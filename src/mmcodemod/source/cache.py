"""A tree that reads every file once. Several stages look at the same files."""

from __future__ import annotations

from mmcodemod.source.tree import Tree

MAX_BYTES = 128 * 1024 * 1024  # beyond this, files are read again instead of kept


class CachingTree:
    """Keeps the content of files in memory, up to MAX_BYTES in all."""

    def __init__(self, base: Tree) -> None:
        self._base = base
        self._kept: dict[str, bytes] = {}
        self._bytes = 0

    @property
    def paths(self) -> tuple[str, ...]:
        return self._base.paths

    def read_bytes(self, path: str) -> bytes:
        """The content of a file; raises UnreadableFile as the base does."""
        if path in self._kept:
            return self._kept[path]
        data = self._base.read_bytes(path)
        if self._bytes + len(data) <= MAX_BYTES:
            self._kept[path] = data
            self._bytes += len(data)
        return data
