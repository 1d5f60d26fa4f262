"""Temporary files that a killed `fix --apply` left behind: found by their name, removed when old."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from mmcodemod.model.pattern import regex

PREFIX, SUFFIX = ".", ".mmcodemod"
AGE = 600.0
"""Seconds. A younger file may belong to a process that is writing: it needs it for a moment alone."""

_NAME = regex(rf"{re.escape(PREFIX)}[a-z0-9_]{{8}}{re.escape(SUFFIX)}")


def remove_leftovers(root: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """Remove those that lie in the folders of `paths`, which are relative to `root`.

    Returns what was removed, sorted.
    """
    removed = []
    for folder in sorted({path.rpartition("/")[0] for path in paths}):
        for name in _leftovers(root / folder):
            with suppress(OSError):
                os.unlink(root / folder / name)
                removed.append(f"{folder}/{name}" if folder else name)
    return tuple(sorted(removed))


def _leftovers(folder: Path) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        yield from [entry.name for entry in entries if _is_ours(entry)]


def _is_ours(entry: os.DirEntry[str]) -> bool:
    """A regular file of this user with such a name, and old."""
    if not _NAME.fullmatch(entry.name):
        return False
    status = entry.stat(follow_symlinks=False)
    mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return stat.S_ISREG(status.st_mode) and mine and time.time() - status.st_mtime > AGE
