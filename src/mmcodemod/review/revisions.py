"""Two versions of a repository: two revisions, or one and the working tree."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mmcodemod.engine.config import Configuration, of_text
from mmcodemod.model.change import FileChange
from mmcodemod.review.diff import parse
from mmcodemod.review.run import Change, Side
from mmcodemod.source.git import GitError, Repository
from mmcodemod.source.revision import Revision, below, revision
from mmcodemod.source.tree import UnreadableFile, decode
from mmcodemod.source.working import working_tree
from mmcodemod.source.workshop import Entry, Workshop

FILES = ("mmcodemod.toml", "pyproject.toml")
"""Where a configuration may stand, in the order in which a folder is searched."""

Outside = Callable[[], Configuration]


@dataclass(frozen=True)
class Snapshot:
    """A version: its tree as git names it, and what people call it."""

    workshop: Workshop
    tree: str
    label: str

    @cached_property
    def entries(self) -> list[Entry]:
        return self.workshop.entries(self.tree)

    def part(self, folder: str) -> str:
        """The tree of a folder, empty when there is none."""
        return self.workshop.tree(below(self.entries, folder)) if folder else self.tree

    def text(self, path: str) -> str | None:
        """The text of a file; None when there is none."""
        found = [entry for entry in self.entries if entry.path == path]
        if not found:
            return None
        try:
            return decode(path, revision(self.workshop, found).tree.read_bytes(path))
        except UnreadableFile:
            return None


@dataclass(frozen=True)
class Pair:
    """Both versions, and what to say of how they were chosen."""

    base: Snapshot
    head: Snapshot
    folder: str
    notes: tuple[str, ...] = ()

    def configuration(self, outside: Outside) -> Configuration:
        """That of the base; what lies outside the repository is not part of a change.

        Raises:
            ConfigError: when it cannot be used.
        """
        return _configuration(self.base, self.folder) or outside()

    def change(self, exclude: Sequence[str] = ()) -> Change:
        """What is between them.

        Raises:
            GitError, BadDiff: when it cannot be told.
        """
        base, head = (self._found(s, exclude) for s in (self.base, self.head))
        shop = self.base.workshop
        trees = (s.part(self.folder) for s in (self.base, self.head))
        files = _checked(parse(shop.diff(*trees)), base, head)
        unknown = (*self.notes, *_submodules(base, head), *self._configured())
        return Change(_side(self.base, base), _side(self.head, head), files, unknown, self.folder)

    def _found(self, snapshot: Snapshot, exclude: Sequence[str]) -> Revision:
        return revision(snapshot.workshop, below(snapshot.entries, self.folder), exclude)

    def _configured(self) -> Iterator[str]:
        """A sentence when the change sets up mmcodemod otherwise."""
        for path in _places(self.folder):
            old, new = (_said(s.text(path), path) for s in (self.base, self.head))
            if old != new:
                yield (
                    f"The change edits how mmcodemod is configured in {path}. This review goes by the base; "
                    "the new configuration counts once it is merged."
                )


def pair(repository: Repository, shop: Workshop, base: str, head: str | None, exact: bool) -> Pair:
    """The versions that `--base` and `--head` mean. `exact`: the base itself, whatever happened since.

    Raises:
        GitError: for a revision that is not there.
    """
    old = repository.commit(base)
    new = repository.commit(head or "HEAD")
    parted = old if exact else repository.merge_base(old, new)
    notes: tuple[str, ...] = ()
    if head is not None and parted == new != old:
        parted, notes = old, (f"{base} already contains {head}: the two are compared as they are.",)
    before = Snapshot(shop, parted, parted)
    if head is not None:
        return Pair(before, Snapshot(shop, new, new), repository.folder, notes)
    if repository.top is None:
        raise GitError(f"{repository.git_dir} has no working tree: name the new version with --head")
    return Pair(before, Snapshot(shop, working_tree(repository, shop), "working tree"), repository.folder)


def _side(snapshot: Snapshot, found: Revision) -> Side:
    return Side(snapshot.label, found.tree, found.problems)


def _checked(changes: Sequence[FileChange], base: Revision, head: Revision) -> tuple[FileChange, ...]:
    """The changes of files that are checked in one of the versions at least."""
    old, new = base.tree.files, head.tree.files
    return tuple(c for c in changes if c.old in old or c.new in new)


def _submodules(base: Revision, head: Revision) -> Iterator[str]:
    named = sorted({*base.submodules, *head.submodules})
    if named:
        yield f"Submodules are not read: {', '.join(named[:5])}{' ...' if len(named) > 5 else ''}."


def _configuration(snapshot: Snapshot, folder: str) -> Configuration | None:
    found = (_said(snapshot.text(path), path) for path in _places(folder))
    return next((one for one in found if one is not None), None)


def _said(text: str | None, path: str) -> Configuration | None:
    return None if text is None else of_text(text, Path(path))


def _places(folder: str) -> Iterator[str]:
    """Where the configuration of a folder may stand, the nearest first."""
    here = folder
    while True:
        yield from (posixpath.join(here, name) for name in FILES)
        if not here:
            return
        here = posixpath.dirname(here)
