"""A tree that reads every file once. Several stages look at the same files."""

from __future__ import annotations

from mmcodemod.source.tree import Tree, UnreadableFile

MAX_BYTES = 128 * 1024 * 1024  # beyond this, files are read again instead of kept


class CachingTree:
    """Keeps the content of files in memory, up to MAX_BYTES in all, and what could not be read."""

    def __init__(self, base: Tree) -> None:
        self._base = base
        self._kept: dict[str, bytes] = {}
        self._failed: dict[str, UnreadableFile] = {}
        self._bytes = 0
        self.paths = tuple(sorted(base.paths))  # whatever order a folder lists them in
        self.unread = base.unread
        self.is_whole = True
        """Was every file read once only? Then all stages saw the same content."""

    def read_bytes(self, path: str) -> bytes:
        """The content of a file; raises UnreadableFile as the base does."""
        if path in self._kept:
            return self._kept[path]
        if path in self._failed:
            raise self._failed[path].with_traceback(None)
        return self._read(path)

    def _read(self, path: str) -> bytes:
        try:
            data = self._base.read_bytes(path)
        except UnreadableFile as error:
            self._failed[path] = error
            raise
        if self._bytes + len(data) <= MAX_BYTES:
            self._kept[path] = data
            self._bytes += len(data)
        else:
            self.is_whole = False
        return data
