"""Rules of other distributions, by entry points. To import importlib.metadata takes as long as a third of the
rules: it is asked only where the files that it would read name our group, and for what is no folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "mmcodemod.codemods"
"""Entry points of this group name a Rule, or a package that holds rule folders."""

_DISTRIBUTIONS = (".dist-info", ".egg-info")
_FILE = "entry_points.txt"


def plug_ins() -> list[EntryPoint]:
    """The entry points of other distributions, sorted."""
    if not any(_names_the_group(folder) for folder in dict.fromkeys(sys.path)):
        return []
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUP), key=lambda p: (p.name, p.value))


def _names_the_group(folder: str) -> bool:
    """May an entry point of our group be found there? Yes, where that is no folder (an archive)."""
    if not os.path.isdir(folder or os.curdir):
        return os.path.exists(folder)
    return any(GROUP.encode() in text for text in _entry_points(folder or os.curdir))


def _entry_points(folder: str) -> Iterator[bytes]:
    for name in os.listdir(folder):
        if name.endswith(_DISTRIBUTIONS) or name == "EGG-INFO":
            try:
                with open(os.path.join(folder, name, _FILE), "rb") as file:
                    yield file.read()
            except OSError:
                continue
