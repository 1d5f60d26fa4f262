"""Where a folder lies in its repository."""

from __future__ import annotations

from pathlib import Path


def top_of(root: Path) -> Path | None:
    """The top of the repository of a folder. Without a repository the working folder counts as the top, when
    the folder lies in it."""
    here = Path.cwd().resolve()
    tops = (top for top in (root, *root.parents) if (top / ".git").exists())
    return next(tops, here if root.is_relative_to(here) else None)


def folder_in_repository(root: Path) -> str:
    """The folder as a POSIX path from the top of its repository, "" at the top and without one."""
    top = top_of(root)
    inside = root.relative_to(top).as_posix() if top else "."
    return "" if inside == "." else inside
