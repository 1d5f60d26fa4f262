"""Where the cache lies: the user's cache folder, by the habits of the platform."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "mmcodemod"


def default_folder(root: Path) -> Path | None:
    """The folder for a check of `root`. None when there is no home, or when the folder lies inside the
    analysed tree: nothing is written there unless the user asks for it."""
    folder = user_folder()
    if folder is None:
        return None
    inside = os.path.realpath(folder).startswith(os.path.join(os.path.realpath(root), ""))
    return None if inside else folder


def user_folder() -> Path | None:
    """The folder of this user; None when there is no home."""
    base = _base()
    return base / NAME if base else None


def _base() -> Path | None:
    """$XDG_CACHE_HOME when it is absolute (the specification says to ignore it else), then the platform's."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA", "")
        return Path(local) if os.path.isabs(local) else None
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return None
    return Path(home) / ("Library/Caches" if sys.platform == "darwin" else ".cache")
