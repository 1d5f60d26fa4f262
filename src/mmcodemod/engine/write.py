"""Writes fixed files: each one completely or not at all, and never over a change that we have not seen."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mmcodemod.model.finding import Problem
from mmcodemod.source.discover import read_regular
from mmcodemod.source.tree import UnreadableFile


class NotWritten(Exception):
    """A file that is left as it is; the message says why."""


def write(root: Path, changed: Mapping[str, bytes], before: Mapping[str, bytes]) -> tuple[Problem, ...]:
    """Replace the content of the files in `changed`; `before` is what the fixes were made from.

    Returns a problem of kind "fix" for every file that was not written.
    """
    problems = []
    for path in sorted(changed):
        try:
            _replace(root, path, before.get(path), changed[path])
        except (NotWritten, UnreadableFile, OSError) as error:
            problems.append(Problem(path, "fix", f"not written: {_reason(error)}"))
    return tuple(problems)


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _replace(root: Path, path: str, before: bytes | None, after: bytes) -> None:
    target = root / path
    _refuse_strange(root, target)
    mode = stat.S_IMODE(os.lstat(target).st_mode)
    temporary = _written_beside(target, after, mode)
    try:
        if read_regular(target, path) != before:
            raise NotWritten("it changed since it was read")
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):  # an interrupt may arrive just after the rename
            os.unlink(temporary)
        raise
    _sync_folder(target.parent)


def _refuse_strange(root: Path, target: Path) -> None:
    inside = os.path.join(os.path.realpath(root), os.path.relpath(target.parent, root))
    if os.path.realpath(target.parent) != os.path.normpath(inside):
        raise NotWritten("its folder is reached through a link")
    status = os.lstat(target)
    if stat.S_ISLNK(status.st_mode):
        raise NotWritten("it is a link")
    if not stat.S_ISREG(status.st_mode):
        raise NotWritten("it is not a regular file")
    if not os.access(target, os.W_OK):
        raise NotWritten("it is not writable")


def _written_beside(target: Path, data: bytes, mode: int) -> str:
    """A complete, synced temporary file in the folder of the target (a rename must not cross devices)."""
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".mmcodemod")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where folders can be opened."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
