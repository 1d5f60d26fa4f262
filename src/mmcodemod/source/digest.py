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
    """Changes with the path or content of any file in a folder on disk (links are followed; what Python
    compiles is left out).

    Raises:
        OSError: when something in it cannot be read.
    """
    return digest(part for file in _files(folder) for part in (os.fsencode(file), file.read_bytes()))


def _files(folder: Path) -> Iterator[Path]:
    seen: set[str] = set()
    for at, folders, files in os.walk(folder, onerror=_raise, followlinks=True):
        real = os.path.realpath(at)
        folders[:] = [] if real in seen else sorted(name for name in folders if name != "__pycache__")
        seen.add(real)
        every = (Path(at) / name for name in sorted(files) if not name.endswith(".pyc"))
        yield from (file for file in every if file.is_file())  # a pipe would be read for ever


def _raise(error: OSError) -> None:
    raise error
