"""The tree of a git revision, read from the object store by the rules of source/discover.py."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cached_property

from mmcodemod.model.finding import Problem
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.source.blobs import Missing
from mmcodemod.source.discover import SIZE_LIMIT, excluded, is_compiled, is_interesting
from mmcodemod.source.tree import UnreadableFile
from mmcodemod.source.workshop import Entry, Workshop

LINK, SUBMODULE = "120000", "160000"
_LONGEST_LINK = 4096  # bytes of a path


@frozen()
class RevisionTree:
    """The interesting files below a folder of a tree; paths are relative to that folder."""

    workshop: Workshop = field(repr=False)
    files: dict[str, Entry]
    unread: frozenset[str] = frozenset()

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All discovered files, sorted."""
        return tuple(sorted(self.files))

    def read_bytes(self, path: str) -> bytes:
        """The content of a file.

        Raises:
            UnreadableFile: when it is too large, or not in this clone.
        """
        entry = self.files.get(path)
        if entry is None:
            raise UnreadableFile(path, "io", "no such file")
        if entry.size > SIZE_LIMIT:
            raise UnreadableFile(path, "too-large", f"larger than {SIZE_LIMIT // 1_000_000} MB")
        try:
            if entry.size < 0:
                raise Missing
            return self.workshop.blobs.read(entry.blob)
        except Missing:
            raise UnreadableFile(path, "io", "its content is not in this clone") from None


@frozen()
class Revision:
    """What was found: the tree, what had to be left out, and the submodules, which are not read."""

    tree: RevisionTree
    problems: tuple[Problem, ...] = ()
    submodules: tuple[str, ...] = ()


def below(entries: Iterable[Entry], folder: str) -> list[Entry]:
    """The entries in a folder, with paths relative to it. Names that no checkout has are left out."""
    start = f"{folder}/" if folder else ""
    inside = (e for e in entries if e.path.startswith(start))
    found = (Entry(e.path[len(start) :], e.mode, e.blob, e.size) for e in inside)
    return [e for e in found if not {"", ".", ".."}.intersection(e.path.split("/"))]


def revision(workshop: Workshop, entries: Sequence[Entry], exclude: Sequence[str] = ()) -> Revision:
    """Discover the files of a tree as `discover` does on disk."""
    walk = _Walk(tuple(exclude))
    kept = [e for e in entries if not walk.leaves_out(e.path)]
    folders = {"", *(folder for e in entries for folder in _folders(e.path))}
    links = [e for e in kept if e.mode == LINK]
    problems = [p for e in links for p in _link(workshop, e, folders)]
    files = {e.path: e for e in kept if e.mode.startswith("100") and is_interesting(_name(e.path))}
    submodules = tuple(sorted(e.path for e in kept if e.mode == SUBMODULE))
    others = {e.path for e in kept if e.mode in (LINK, SUBMODULE) or is_compiled(_name(e.path))}
    unread = frozenset(others | {path for path, out in walk.known.items() if out})
    return Revision(RevisionTree(workshop, files, unread), tuple(sorted(problems)), submodules)


@mutable()
class _Walk:
    """Remembers what is left out."""

    exclude: tuple[str, ...]
    known: dict[str, bool] = field(default_factory=lambda: {"": False})

    def leaves_out(self, path: str) -> bool:
        for folder in reversed((path, *_folders(path))):
            if folder not in self.known:
                above = self.known[posixpath.dirname(folder)]
                self.known[folder] = above or excluded(_name(folder), folder, self.exclude)
        return self.known[path]


def _link(workshop: Workshop, entry: Entry, folders: set[str]) -> list[Problem]:
    """A link that a check would have followed, were links followed. Whether one that leads out of the tree
    leads to a folder is not known: only its own name counts."""
    try:
        small = 0 <= entry.size <= _LONGEST_LINK
        text = workshop.blobs.read(entry.blob).decode("utf-8", "surrogateescape") if small else "/"
    except Missing:
        text = "/"
    target = posixpath.normpath(posixpath.join(posixpath.dirname(entry.path), text))
    outside = target.startswith(("/", "../")) or target == ".."
    if not (is_interesting(_name(entry.path)) or target in folders or target == "."):
        return []
    where = "it points out of the tree" if outside else "it points inside the tree"
    return [Problem(entry.path, "link", f"a link is not followed: {where}")]


def _folders(path: str) -> Iterable[str]:
    while path := posixpath.dirname(path):
        yield path


def _name(path: str) -> str:
    return path.rpartition("/")[2]
