"""Writes fixed files: each one completely or not at all, and never over a change that we have not seen.

All new contents of a fix lie beside their files, synced, before the first file is replaced: whatever ends the
process, and whenever, each file is the old one or the new one.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from mmcodemod.engine.edited import tied
from mmcodemod.engine.leftovers import PREFIX, SUFFIX
from mmcodemod.model.finding import Problem
from mmcodemod.model.frozen import mutable
from mmcodemod.source.discover import read_regular
from mmcodemod.source.tree import UnreadableFile


class NotWritten(Exception):
    """A file that is left as it is; the message says why."""


Content = Mapping[str, bytes]


def write(
    root: Path, changed: Content, before: Content, together: Iterable[Iterable[str]] = ()
) -> tuple[Problem, ...]:
    """Replace the content of the files in `changed`; `before` is what the fixes were made from. The files of
    each of `together` (those of one fix) are written all or none.

    Returns a problem of kind "fix" for every file that was not written.
    """
    problems: list[Problem] = []
    for group in _groups(changed, together):
        problems += _written(root, {path: changed[path] for path in group}, before)
    return tuple(sorted(problems))


def _groups(paths: Iterable[str], together: Iterable[Iterable[str]]) -> list[tuple[str, ...]]:
    """The paths, joined where fixes share files, sorted by their first."""
    ties, every = [set(files) for files in together], set(paths)
    return sorted({tuple(sorted(tied([path], ties) & every)) for path in every})


@mutable()
class _File:
    """One file on its way: `temporary` holds the new content until it is renamed."""

    path: str
    target: Path
    before: bytes
    mode: int
    temporary: str = ""
    renamed: bool = False


def _written(root: Path, changed: Content, before: Content) -> list[Problem]:
    """Write files that belong together."""
    files: list[_File] = []
    path = ""
    try:
        for path in changed:
            files.append(_ready(root, path, before))
        for file in files:
            path = file.path
            _lay_beside(file, changed[path])
        for file in files:
            path = file.path
            _rename(file)
    except (NotWritten, UnreadableFile, OSError) as error:
        return _taken_back(files, path, _reason(error), sorted(changed))
    except BaseException:  # an interrupt between two renames
        _taken_back(files, path, "interrupted", ())
        raise
    finally:
        for file in files:
            _forget(file)
    for folder in sorted({file.target.parent for file in files}):
        _sync_folder(folder)
    return []


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _ready(root: Path, path: str, before: Content) -> _File:
    """A file that may be written."""
    target = root / path
    _refuse_strange(root, target)
    if path not in before:
        raise NotWritten("it changed since it was read")
    file = _File(path, target, before[path], stat.S_IMODE(os.lstat(target).st_mode))
    _refuse_changed(file)
    return file


def _refuse_changed(file: _File) -> None:
    if read_regular(file.target, file.path) != file.before:
        raise NotWritten("it changed since it was read")


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


def _lay_beside(file: _File, data: bytes) -> None:
    """A complete, synced temporary file in the folder of the target (a rename must not cross devices)."""
    descriptor, file.temporary = tempfile.mkstemp(dir=file.target.parent, prefix=PREFIX, suffix=SUFFIX)
    with os.fdopen(descriptor, "wb") as temporary:
        temporary.write(data)
        temporary.flush()
        _keep_owner(temporary.fileno(), file.target)
        os.chmod(file.temporary, file.mode)
        os.fsync(temporary.fileno())


def _keep_owner(descriptor: int, target: Path) -> None:
    """The new file belongs to whom the old one does, as far as we may."""
    status = os.lstat(target)
    with suppress(OSError, AttributeError):
        os.fchown(descriptor, status.st_uid, status.st_gid)


def _rename(file: _File) -> None:
    _refuse_changed(file)
    os.replace(file.temporary, file.target)
    file.temporary, file.renamed = "", True


def _forget(file: _File) -> None:
    if file.temporary:
        with suppress(FileNotFoundError):  # an interrupt may arrive just after the rename
            os.unlink(file.temporary)


def _taken_back(files: Sequence[_File], failed: str, reason: str, group: Sequence[str]) -> list[Problem]:
    """One of the files cannot be written: those that were are as before again."""
    problems = []
    for file in files:
        if file.renamed:
            try:
                _lay_beside(file, file.before)
                os.replace(file.temporary, file.target)
                file.temporary = ""
            except OSError as error:
                told = (
                    f"written, although {failed} belongs to the same fix and could not be: {_reason(error)}"
                )
                problems.append(Problem(file.path, "fix", told))
    told_of = {problem.path for problem in problems}
    others = f"not written: {failed}, which belongs to the same fix, cannot be: {reason}"
    return problems + [
        Problem(path, "fix", f"not written: {reason}" if path == failed else others)
        for path in group
        if path not in told_of
    ]


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where folders can be opened."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with suppress(OSError):  # the file is written; not every file system can sync a folder
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
