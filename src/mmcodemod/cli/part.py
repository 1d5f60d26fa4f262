"""Was only a part of a repository checked? Then launches and configurations elsewhere do not count."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from mmcodemod.report.escape import visible
from mmcodemod.source.discover import excluded
from mmcodemod.source.repository import top_of

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session

_MOST = 2000  # entries of folders that are looked at: a few milliseconds
_DECIDING = frozenset((".sh", ".bash", ".sbatch", ".slurm", ".json", ".yaml", ".yml"))
"""Ends of the names of launch scripts and configurations."""


def remark(session: Session) -> tuple[str, ...]:
    """A line that says so and what reads all; none when all was read, or nothing is elsewhere."""
    top = top_of(session.discovered.root)
    if top is None or any(top.is_relative_to(Path(path).resolve()) for path in session.options.paths):
        return ()
    if not any(_elsewhere(session, top)):
        return ()
    what, where = "repository" if (top / ".git").exists() else "folder", visible(os.path.relpath(top))
    return (
        f"only a part of this {what} was read: launches and configurations elsewhere do not count "
        f"(mmcodemod check {where} reads all)",
    )


def _elsewhere(session: Session, top: Path) -> Iterator[bool]:
    """For the first entries below the top: may it decide about runs, and was it not read?"""
    root, read = session.discovered.root, frozenset(session.discovered.tree.paths)
    for entry in islice(_entries(top, session.configuration.exclude), _MOST):
        if os.path.splitext(entry.name)[1].lower() in _DECIDING:
            yield os.path.relpath(entry.path, root).replace(os.sep, "/") not in read


def _entries(top: Path, exclude: tuple[str, ...]) -> Iterator[os.DirEntry[str]]:
    """Files and folders, what is near the top first."""
    waiting = [str(top)]
    for folder in waiting:
        for entry in _of(folder):
            path = os.path.relpath(entry.path, top).replace(os.sep, "/")
            if entry.name.startswith(".") or excluded(entry.name, path, exclude):
                continue
            yield entry
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)


def _of(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
