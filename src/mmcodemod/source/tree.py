"""A tree of files, wherever they come from. Paths are POSIX, relative to the root, and sorted."""

from __future__ import annotations

import codecs
import io
import tokenize
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Protocol

from mmcodemod.model.frozen import frozen


class UnreadableFile(Exception):
    """A file that cannot be read. `kind` is the kind of the Problem that it becomes."""

    def __init__(self, path: str, kind: str, message: str) -> None:
        super().__init__(message)
        self.path, self.kind, self.message = path, kind, message


class Tree(Protocol):
    """What every stage reads files through."""

    @property
    def paths(self) -> tuple[str, ...]:
        """All discovered files, sorted."""
        ...

    @property
    def unread(self) -> frozenset[str]:
        """What is there too, or may be, and is not looked into: links, what is left out, compiled modules,
        submodules. Files and folders."""
        ...

    def read_bytes(self, path: str) -> bytes:
        """The content of a file.

        Raises:
            UnreadableFile: when it is too large, vanished or not readable.
        """
        ...


def may_hold(tree: Tree, stem: str) -> bool:
    """May a tree have a file or folder of that name, with whatever ending, among what is not looked into?"""
    return any(
        path == stem or path.startswith((f"{stem}/", f"{stem}.")) or stem.startswith(f"{path}/")
        for path in tree.unread
    )


@frozen()
class MemoryTree:
    """Files held in memory: tests, and fixes before they are written."""

    files: Mapping[str, bytes]
    unread: frozenset[str] = frozenset()

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(sorted(self.files))

    def read_bytes(self, path: str) -> bytes:
        try:
            return self.files[path]
        except KeyError:
            raise UnreadableFile(path, "io", "no such file") from None


@frozen()
class OverlayTree:
    """`base` with some files replaced or added."""

    base: Tree
    changed: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(sorted({*self.base.paths, *self.changed}))

    @property
    def unread(self) -> frozenset[str]:
        return self.base.unread

    def read_bytes(self, path: str) -> bytes:
        return self.changed[path] if path in self.changed else self.base.read_bytes(path)


@frozen()
class PartTree:
    """Some files of `base`; `paths` are sorted."""

    base: Tree
    paths: tuple[str, ...]

    @property
    def unread(self) -> frozenset[str]:
        return self.base.unread | (frozenset(self.base.paths) - self._known)

    def read_bytes(self, path: str) -> bytes:
        if path not in self._known:
            raise UnreadableFile(path, "io", "no such file")
        return self.base.read_bytes(path)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths)


def read_text(tree: Tree, path: str) -> str:
    """The decoded text of a file, line ends kept: UTF-8 (a BOM is dropped), and for Python files the
    encoding that the file declares (PEP 263).

    Raises:
        UnreadableFile: when it cannot be read or decoded.
    """
    return decode(path, tree.read_bytes(path))


def decode(path: str, data: bytes) -> str:
    """`read_text` for content that is already in hand."""
    try:
        return data.decode(encoding_of(path, data))
    except (UnicodeDecodeError, SyntaxError, LookupError) as error:
        raise UnreadableFile(path, "encoding", f"cannot be decoded: {error}") from None


def encoding_of(path: str, data: bytes) -> str:
    """The name of the encoding; "utf-8-sig" when there is a BOM, and only then."""
    if path.endswith((".py", ".pyi")):
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    return "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"


def text_tree(files: Mapping[str, str]) -> MemoryTree:
    """A MemoryTree of UTF-8 texts."""
    return MemoryTree({path: text.encode() for path, text in files.items()})
