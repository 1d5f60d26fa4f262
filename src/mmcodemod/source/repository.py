"""Where a folder lies in its repository."""

from __future__ import annotations

from pathlib import Path


def folder_in_repository(root: Path) -> str:
    """The folder as a POSIX path from the top of its repository, "" at the top. Without a repository the
    working folder counts as the top, when the folder lies in it."""
    tops = (top for top in (root, *root.parents) if (top / ".git").exists())
    top = next(tops, Path.cwd().resolve())
    inside = root.relative_to(top).as_posix() if root.is_relative_to(top) else "."
    return "" if inside == "." else inside
