"""Digests: of a whole tree, and of folders on disk. Fields have their length before them: no two inputs
run together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from mmcodemod.source.tree import Tree, UnreadableFile

SIZE = 32  # bytes: nobody can make two trees of one digest


def digest(parts: Iterable[bytes]) -> bytes:
    """One digest of a sequence of fields."""
    found = blake2b(digest_size=SIZE)
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.digest()


def tree_digest(tree: Tree) -> bytes:
    """Changes with the path or content of any file of the tree, with what cannot be read, and with the names
    of what is not looked into."""
    unread = (path.encode("utf-8", "surrogatepass") for path in sorted(tree.unread))
    return digest([*(part for path in tree.paths for part in _file(tree, path)), b"", *unread])


def _file(tree: Tree, path: str) -> tuple[bytes, bytes, bytes]:
    name = path.encode("utf-8", "surrogatepass")
    try:
        return name, b"", tree.read_bytes(path)
    except UnreadableFile as error:
        return name, error.kind.encode(), error.message.encode("utf-8", "surrogatepass")


def folder_digest(folder: Path) -> bytes:
    """Changes with the path, the size or the time of change of any file in a folder on disk, which is what
    Python asks of a file before it runs what it compiled of it (links are followed; what Python compiles is
    left out).

    Raises:
        OSError: when something in it cannot be read.
    """
    told = [(entry.path, *_state(entry.stat())) for entry in _entries(os.fspath(folder), set())]
    return digest([repr(told).encode("utf-8", "surrogatepass")])


def _state(of: os.stat_result) -> tuple[int, int]:
    return of.st_size, of.st_mtime_ns


def _entries(folder: str, seen: set[tuple[int, int]]) -> Iterator[os.DirEntry[str]]:
    """The files in a folder and those below, each folder once."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_file():
            if not entry.name.endswith(".pyc"):
                yield entry
        elif entry.is_dir() and entry.name != "__pycache__":
            known = entry.stat()
            place = known.st_dev, known.st_ino
            if place not in seen:
                seen.add(place)
                yield from _entries(entry.path, seen)
