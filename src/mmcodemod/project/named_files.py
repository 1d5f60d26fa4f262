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
    wanted = {path: (_words(path), _pattern(path)) for path in paths}
    found: set[str] = set()
    for text in (p for p in tree.paths if wanted and not p.endswith(_DATA)):
        data = _bytes(tree, text)
        for path, (names, pattern) in wanted.items():
            if path not in found and any(name in data for name in names):
                words = pattern.finditer(data.decode(errors="replace"))
                found |= {path} if any(_fits(m["path"], path, dirname(text)) for m in words) else set()
    return frozenset(found)


def _bytes(tree: Tree, path: str) -> bytes:
    try:
        return tree.read_bytes(path)
    except UnreadableFile:
        return b""


def _words(path: str) -> tuple[bytes, ...]:
    """Quick: a text without one of them does not name the file."""
    return basename(path).encode(), _modules(path)[-1].encode(), f"{_stem(path)}.__file__".encode()


def _pattern(path: str) -> re.Pattern[str]:
    """`group("path")` is a path with the name of the file; None where the file is named as a module that is
    run: behind `-m`, with a function (`pkg.train:main`), as a whole string, or by its `__file__`."""
    names = [re.escape(name) for name in _modules(path)]
    dotted = "|".join(name for name in names if "." in name) or "(?!)"
    run = rf"(?:-m|--module)\s+(?:{'|'.join(names)})(?![\w.])"
    named = rf"(?<![\w.])(?:{dotted}):\w|[\"'](?:{dotted})[\"']|(?<!\w){re.escape(_stem(path))}\.__file__"
    file = rf"(?P<path>(?<![\w$./{{}}+-])[\w$./{{}}+-]*{re.escape(basename(path))}(?!\w))"
    return re.compile(f"{file}|{run}|{named}")


def _modules(path: str) -> list[str]:
    """The dotted names of a file, from the top of the tree and from folders below; the shortest, with its
    package, is last."""
    plain = path.removeprefix("src/").removesuffix(".py").removesuffix("/__main__")
    parts = plain.split("/")
    return [".".join(parts[at:]) for at in range(max(len(parts) - 1, 1))]


def _stem(path: str) -> str:
    return _modules(path)[-1].rpartition(".")[2]


def _fits(written: str | None, path: str, folder: str) -> bool:
    """May a path that a text in `folder` writes mean this file? A name alone means one below the folder."""
    if written is None or normpath(join(folder, written)) == path:
        return True
    plain = _VARIABLE.sub("", written).lstrip("./")
    if "/" not in plain:
        return basename(path) == plain and f"{path}/".startswith(f"{folder}/" if folder else "")
    return f"/{path}".endswith(f"/{plain}") or ("/" in path and plain.endswith(f"/{path}"))
