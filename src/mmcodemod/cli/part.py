"""Was only a part of a repository checked, and does something elsewhere have to do with it?"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from mmcodemod.model.frozen import frozen
from mmcodemod.report.escape import visible
from mmcodemod.source.discover import excluded
from mmcodemod.source.mentions import folders_of, mentions
from mmcodemod.source.repository import top_of

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session

_MOST = 2000  # entries of folders that are looked at, near the top first
_READ = 200  # files of each kind that are read
_HEAD = 64 * 1024  # bytes of each
_DECIDING = (".sh", ".bash", ".sbatch", ".slurm", ".json", ".yaml", ".yml")
"""Ends of the names of launch scripts and configurations."""


def remark(session: Session) -> tuple[str, ...]:
    """A line that says so and what reads all; none when all was read, or nothing elsewhere names a file of
    the part or is named there, as far as a short look shows."""
    top = top_of(session.discovered.root)
    if top is None or any(top.is_relative_to(Path(path).resolve()) for path in session.options.paths):
        return ()
    example = next(_Part.of(session, top).elsewhere(), None)
    if example is None:
        return ()
    what, where = "repository" if (top / ".git").exists() else "folder", visible(os.path.relpath(top))
    return (
        f"only a part of this {what} was read: what is elsewhere does not count, such as "
        f"{visible(example)} (mmcodemod check {where} reads all)",
    )


@frozen()
class _Part:
    """The files that were read, and what else the repository has. Paths are relative to its top."""

    top: str
    read: tuple[str, ...]
    others: tuple[str, ...]

    @staticmethod
    def of(session: Session, top: Path) -> _Part:
        base = session.discovered.root.relative_to(top).as_posix()
        read = tuple(posixpath.normpath(f"{base}/{path}") for path in session.discovered.tree.paths)
        known = frozenset(read)
        entries = islice(_entries(str(top), session.configuration.exclude), _MOST)
        return _Part(str(top), read, tuple(p for p in entries if p not in known and _counts(p)))

    def elsewhere(self) -> Iterator[str]:
        """Files elsewhere that name one of the part, and those that one of the part names."""
        yield from self._naming(_ending(self.others, _DECIDING))
        yield from self._named(_ending(self.read, _DECIDING))
        yield from self._named(_ending(self.read, (".py",)))
        yield from self._naming(_ending(self.others, (".py",)))

    def _naming(self, paths: Iterable[str]) -> Iterator[str]:
        return (path for path in paths if any(name in self._own for name in self._meant(path)))

    def _named(self, paths: Iterable[str]) -> Iterator[str]:
        return (name for path in paths for name in self._meant(path) if name not in self._own)

    def _meant(self, path: str) -> Iterator[str]:
        """What the names in a file mean."""
        for names in mentions(_head(f"{self.top}/{path}"), path):
            yield from islice((name for name in names if name in self._own or name in self._foreign), 1)

    @cached_property
    def _own(self) -> frozenset[str]:
        folders = folders_of(p for p in self.read if p.endswith(".py"))
        root = posixpath.commonpath([posixpath.dirname(p) for p in self.read]) if self.read else ""
        return frozenset((*self.read, *(f for f in folders if not root or f"{f}/".startswith(f"{root}/"))))

    @cached_property
    def _foreign(self) -> frozenset[str]:
        folders = folders_of(p for p in self.others if p.endswith(".py"))
        return frozenset((*self.others, *folders)) - {""} - self._own


def _counts(path: str) -> bool:
    return path.lower().endswith((".py", *_DECIDING))


def _ending(paths: Iterable[str], suffixes: tuple[str, ...]) -> Iterator[str]:
    return islice((path for path in paths if path.lower().endswith(suffixes)), _READ)


def _head(file: str) -> str:
    """The begin of a regular file; nothing of what cannot be read."""
    try:
        if stat.S_ISREG(os.lstat(file).st_mode):
            with open(file, "rb") as stream:
                return stream.read(_HEAD).decode("utf-8", "replace")
    except OSError:
        pass
    return ""


def _entries(top: str, exclude: tuple[str, ...]) -> Iterator[str]:
    """Files and folders below `top`, relative to it, what is near first."""
    waiting = [""]
    for folder in waiting:
        for entry in _of(f"{top}/{folder}"):
            path = f"{folder}{entry.name}"
            if entry.name.startswith(".") or excluded(entry.name, path, exclude):
                continue
            yield path
            if entry.is_dir(follow_symlinks=False):
                waiting.append(f"{path}/")


def _of(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
