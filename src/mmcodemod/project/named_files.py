"""Which Python files do texts of the tree tell people, or other programs, to run? May: that a text names the
file is enough, whatever it says about it."""

from __future__ import annotations

import re
from collections.abc import Collection
from posixpath import basename, dirname, join, normpath

from mmcodemod.source.tree import Tree, UnreadableFile

_DATA = (".json", ".lock")  # they hold names, but nobody reads there what to run
_VARIABLE = re.compile(r"\$\w+/|\$\{\w+\}/")


def named_files(tree: Tree, paths: Collection[str]) -> frozenset[str]:
    """Those of `paths` that a text of the tree names, by path or as a module to run."""
    wanted = {path: (basename(path).encode(), _pattern(path)) for path in paths}
    found: set[str] = set()
    for text in (p for p in tree.paths if wanted and not p.endswith(_DATA)):
        data = _bytes(tree, text)
        for path, (name, pattern) in wanted.items():
            if path not in found and (name in data or _module(path).encode() in data):
                words = pattern.finditer(data.decode(errors="replace"))
                found |= {path} if any(_fits(m["path"], path, dirname(text)) for m in words) else set()
    return frozenset(found)


def _bytes(tree: Tree, path: str) -> bytes:
    try:
        return tree.read_bytes(path)
    except UnreadableFile:
        return b""


def _pattern(path: str) -> re.Pattern[str]:
    """`group("path")` is a path with the name of the file; None where the file is named as a module that is
    run: behind `-m`, or with a function (`pkg.train:main`)."""
    module = re.escape(_module(path))
    run = rf"(?:-m|--module)\s+{module}(?![\w.])|(?<![\w.]){module}:\w"
    return re.compile(rf"(?P<path>(?<![\w$./{{}}+-])[\w$./{{}}+-]*{re.escape(basename(path))}(?!\w))|{run}")


def _module(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__main__").replace("/", ".")


def _fits(written: str | None, path: str, folder: str) -> bool:
    """May a path that a text in `folder` writes mean this file? A name alone means one below the folder."""
    if written is None or normpath(join(folder, written)) == path:
        return True
    plain = _VARIABLE.sub("", written).lstrip("./")
    if "/" not in plain:
        return basename(path) == plain and f"{path}/".startswith(f"{folder}/" if folder else "")
    return f"/{path}".endswith(f"/{plain}") or ("/" in path and plain.endswith(f"/{path}"))
