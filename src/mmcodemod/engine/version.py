"""What decides an answer besides the tree and the options: this tool, its rules, and what is installed.

Our own files and the folders of `--codemods` count by their sizes and times of change, so that a checkout
needs no version number; other distributions by the names that installers give them
("libcst-1.8.2.dist-info"). Asking importlib.metadata instead takes ten times as long as this whole module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from mmcodemod.engine.plugins import plug_ins
from mmcodemod.engine.registry import shipped_roots
from mmcodemod.source.digest import digest, folder_digest

PACKAGE = Path(__file__).parents[1]
_INSTALLED = (".dist-info", ".egg-info", ".egg-link", ".pth")


@lru_cache(maxsize=8)
def version(codemods: tuple[str, ...]) -> bytes | None:
    """A digest; None when it cannot be told (the tool runs from a zip, a folder cannot be read)."""
    if not PACKAGE.is_dir():
        return None
    python = f"{sys.version} {sys.implementation.name} {sys.platform}".encode()
    try:
        folders = [folder_digest(folder) for folder in _folders(codemods)]
        return digest([python, *folders, *_installed()])
    except OSError:
        return None


def _folders(codemods: tuple[str, ...]) -> list[Path]:
    return [PACKAGE, *shipped_roots(), *map(Path, codemods)]


def _installed() -> Iterator[bytes]:
    """Names of distributions, and when a folder of them was last changed (a plug-in was installed again)."""
    for folder in _site_folders():
        yield os.fsencode(folder)
        yield str(os.stat(folder).st_mtime_ns).encode()
        yield from (os.fsencode(name) for name in sorted(os.listdir(folder)) if name.endswith(_INSTALLED))


def _site_folders() -> list[str]:
    found = []
    for folder in dict.fromkeys(sys.path):
        if os.path.isdir(folder) and any(name.endswith(_INSTALLED) for name in os.listdir(folder)):
            found.append(os.path.realpath(folder))
    return found


def is_settled(codemods: tuple[str, ...]) -> bool:
    """Does `version` cover all code that ran? Not when a plug-in, or a rule of `--codemods`, is imported
    from a place that is still being worked on (an editable install, PYTHONPATH). To be asked when the
    rules have run, because they may import late."""
    if not codemods and not plug_ins():
        return True
    library = os.path.dirname(os.path.realpath(os.__file__))
    covered = (*map(str, _folders(codemods)), *_site_folders(), library)
    roots = tuple(os.path.join(os.path.realpath(root), "") for root in covered)
    outside = (f for f in _imported_files() if os.path.realpath(os.path.dirname(f)) != library)
    return all(os.path.realpath(file).startswith(roots) for file in outside)  # Debian links one out of it


def _imported_files() -> list[str]:
    modules = (module for name, module in list(sys.modules.items()) if name != "__main__")
    return [file for module in modules if isinstance(file := getattr(module, "__file__", None), str)]
