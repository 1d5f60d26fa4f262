"""Finds the files of a tree on disk and reads them: links are never followed, sizes are bounded."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath

from mmcodemod.model.finding import Problem
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.pattern import regex
from mmcodemod.source.tree import UnreadableFile

SIZE_LIMIT = 10_000_000
"""Bytes. A larger file is data, not source: it becomes a Problem of kind "too-large"."""

# fmt: off
EXCLUDED = frozenset((
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".idea", ".ipynb_checkpoints", ".mypy_cache",
    ".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv",
    "__pycache__", "__pypackages__", "_build", "buck-out", "build", "dist", "node_modules", "site-packages",
    "venv", ".vscode",
))
"""Names of folders that are never entered, as in ruff. A folder that the user names is always entered."""

SUFFIXES = frozenset((
    ".py", ".json", ".yaml", ".yml", ".sh", ".bash", ".sbatch", ".slurm", ".toml", ".cfg", ".txt", ".md",
    ".lock", ".mk", ".dockerfile",
))
COMPILED = (".pyx", ".pyd", ".so", ".py.in", ".pyx.in")  # the last two are filled by a build
SUBMODULE = regex(r"^\s*path\s*=\s*(\S[^\n]{0,200}?)\s*$", re.MULTILINE)
NAMES = frozenset((
    "makefile", "gnumakefile", "metadata", "dockerfile", "containerfile", "hostfile", "pipfile", ".gitignore",
))
# fmt: on

_OPEN = os.O_RDONLY | sum(
    getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
)


class NoSuchPath(Exception):
    """A path that the user named cannot be checked; the message says why."""


@frozen()
class DiskTree:
    """Files below `root`. Nothing is cached; only discovered paths can be read."""

    root: Path
    paths: tuple[str, ...]
    unread: frozenset[str] = frozenset()

    def read_bytes(self, path: str) -> bytes:
        """The content of a discovered file.

        Raises:
            UnreadableFile: when it is too large, a link, no regular file, or cannot be read (any more).
        """
        if path not in self._known:
            raise UnreadableFile(path, "io", "no such file")
        return read_regular(self.root / path, path)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths)


@frozen()
class Discovered:
    """What `discover` found: the tree, what it had to leave out, and the root of all paths."""

    tree: DiskTree
    problems: tuple[Problem, ...]
    root: Path


def discover(paths: Sequence[str | Path] = (".",), exclude: Sequence[str] = ()) -> Discovered:
    """Find the interesting files of folders and files. `exclude` adds to EXCLUDED: names, or patterns for
    names and relative paths. With one folder paths are relative to it; else to the working folder, or to
    the folder that all paths have in common when one lies outside.

    Raises:
        NoSuchPath: when one of `paths` cannot be checked.
    """
    named = sorted({_absolute(path) for path in paths})
    root = common_root(named)
    walk = _Walk(root, tuple(exclude))
    for path in named:
        walk.start(path)
    tree = DiskTree(root, tuple(sorted(walk.found)), frozenset(walk.unread | _submodules(root)))
    return Discovered(tree, tuple(sorted(walk.problems)), root)


def _submodules(root: Path) -> set[str]:
    """The folders that git fills from elsewhere, when it is asked to."""
    try:
        text = read_regular(root / ".gitmodules", ".gitmodules").decode(errors="replace")
    except UnreadableFile:
        return set()
    return set(SUBMODULE.findall(text))


def read_regular(file: Path, name: str) -> bytes:
    """The content of a regular file of at most SIZE_LIMIT bytes; a link is not followed.

    Raises:
        UnreadableFile: with `name` as its path.
    """
    try:
        descriptor = os.open(file, _OPEN)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from None
    try:
        return _read_open(descriptor, name)
    except OSError as error:
        raise _unreadable(name, error) from None
    finally:
        os.close(descriptor)


def _read_open(descriptor: int, name: str) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFile(name, "io", "not a regular file")
    data = b"" if status.st_size > SIZE_LIMIT else _read_up_to(descriptor, SIZE_LIMIT + 1)
    if max(status.st_size, len(data)) > SIZE_LIMIT:
        raise UnreadableFile(name, "too-large", f"larger than {SIZE_LIMIT // 1_000_000} MB")
    return data


def _read_up_to(descriptor: int, limit: int) -> bytes:
    chunks, left = [], limit
    while left and (chunk := os.read(descriptor, min(left, 1 << 20))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _unreadable(name: str, error: OSError | ValueError) -> UnreadableFile:
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return UnreadableFile(name, "link", "a link is not followed")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return UnreadableFile(name, "io", f"cannot be read: {reason or error}")


def _absolute(path: str | Path) -> Path:
    """The absolute path, with links resolved in all but the name of a file."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise NoSuchPath(f"no such file or folder: {path}") from None
    except (OSError, ValueError) as error:
        raise NoSuchPath(f"cannot be read: {path}: {getattr(error, 'strerror', error)}") from None
    given = Path(os.path.abspath(path))
    return given.resolve() if stat.S_ISDIR(mode) else given.parent.resolve() / given.name


def common_root(paths: Sequence[str | Path]) -> Path:
    """The folder that `discover` makes all paths relative to.

    Raises:
        NoSuchPath: when one of `paths` cannot be checked.
    """
    named = sorted({_absolute(path) for path in paths})
    if len(named) == 1 and named[0].is_dir() and not named[0].is_symlink():
        return named[0]
    here = Path.cwd().resolve()
    if all(path.is_relative_to(here) for path in named):
        return here
    return Path(os.path.commonpath([path if path.is_dir() else path.parent for path in named]))


@mutable()
class _Walk:
    """One walk: what is found and what is left out."""

    root: Path
    exclude: tuple[str, ...]
    found: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    problems: set[Problem] = field(default_factory=set)

    def start(self, path: Path) -> None:
        """Walk a folder; take a file whatever its name, because the user named it."""
        relative = path.relative_to(self.root).as_posix()
        if path.is_dir() and not path.is_symlink():
            self._walk("" if relative == "." else relative)
        elif path.is_symlink():
            self._link(relative)
        elif path.is_file():
            self.found.add(relative)
        else:
            self._problem(relative, "io", "not a regular file")

    def _walk(self, start: str) -> None:
        waiting = [start]
        while waiting:
            folder = waiting.pop()
            for entry in self._entries(folder):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if self._excluded(entry.name, path):
                        self.unread.add(path)
                    else:
                        waiting.append(path)
                else:
                    self._file(entry, path)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.root / folder) as entries:
                return list(entries)
        except OSError as error:
            self._problem(folder or ".", "io", f"cannot be read: {error.strerror}")
            return []

    def _file(self, entry: os.DirEntry[str], path: str) -> None:
        if entry.is_symlink() or is_compiled(entry.name) or self._excluded(entry.name, path):
            self.unread.add(path)
        if entry.is_symlink():
            if not self._excluded(entry.name, path) and (is_interesting(entry.name) or _is_folder(entry)):
                self._link(path)
        elif is_interesting(entry.name) and not self._excluded(entry.name, path):
            if entry.is_file(follow_symlinks=False):
                self.found.add(path)
            else:
                self._problem(path, "io", "not a regular file")

    def _excluded(self, name: str, path: str) -> bool:
        return excluded(name, path, self.exclude)

    def _link(self, path: str) -> None:
        target = os.path.realpath(self.root / path)
        inside = PurePosixPath(target).is_relative_to(self.root)
        where = "it points inside the tree" if inside else "it points out of the tree"
        self._problem(path, "link", f"a link is not followed: {where}")

    def _problem(self, path: str, kind: str, message: str) -> None:
        self.problems.add(Problem(path, kind, message))


def is_interesting(name: str) -> bool:
    """May a file of this name hold training code, configuration, a launch command or a version?"""
    lower = name.lower()
    suffix = os.path.splitext(lower)[1]
    return suffix in SUFFIXES or lower in NAMES or lower.startswith("dockerfile.")


def is_compiled(name: str) -> bool:
    """May a file of this name be a module that is no plain Python source?"""
    return name.lower().endswith(COMPILED)


def excluded(name: str, path: str, exclude: Sequence[str]) -> bool:
    """Is a file or folder left out? `exclude` adds names and patterns to EXCLUDED."""
    return name in EXCLUDED or any(_matches(pattern, name, path) for pattern in exclude)


def ancestors(path: Path) -> Iterator[Path]:
    """The folder itself (or that of a file), then every folder above it."""
    start = path if path.is_dir() else path.parent
    yield from (start, *start.parents)


def _matches(pattern: str, name: str, path: str) -> bool:
    bare = pattern.strip("/")
    return fnmatchcase(name, bare) or fnmatchcase(path, bare) or path.startswith(bare + "/")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
