"""Which Python files do texts of the tree tell people, or other programs, to run? May: that a text names the
file is enough, whatever it says about it. What a file says of itself does not count: leftovers have usage,
too."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property
from posixpath import basename, dirname, join, normpath

from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.source.tree import Tree, UnreadableFile

_DATA = (".json", ".lock")  # they hold names, but nobody reads there what to run
_VARIABLE = regex(r"\$\w+/|\$\{\w+\}/")


@frozen()
class _Text:
    """A text that may name files: its path, what it says, and the paths of the tree it is in."""

    path: str
    words: str
    paths: frozenset[str]

    def names(self, path: str, pattern: re.Pattern[str]) -> bool:
        return any(self._fits(match["path"], path) for match in pattern.finditer(self.words))

    def _fits(self, written: str | None, path: str) -> bool:
        """May a path as written here mean this file? One that is there from here means no other."""
        if written is None:
            return True
        there = normpath(join(dirname(self.path), written))
        if there == path or there in self.paths:
            return there == path
        plain = _VARIABLE.sub("", written).lstrip("./")
        if "/" not in plain:
            return basename(path) == plain and self._below(path)
        return f"/{path}".endswith(f"/{plain}") or ("/" in path and plain.endswith(f"/{path}"))

    def _below(self, path: str) -> bool:
        """Does a name alone mean this file? It is below the text's folder, and where others there have the
        name, the text names the folder, too."""
        top = f"{dirname(self.path)}/".lstrip("/")
        if not path.startswith(top):
            return False
        name = f"/{basename(path)}"
        alike = sum(f"/{p}".endswith(name) and p.startswith(top) for p in self.paths)
        return alike < 2 or dirname(path).removeprefix(top) in self.words


class _Wanted:
    """A file that texts may name, and the words of which a text has one that does."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.words = basename(path).encode(), _modules(path)[-1].encode(), f"{_stem(path)}.__file__".encode()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return _pattern(self.path)

    @property
    def common(self) -> bytes:
        """What all of the words hold."""
        stem = _stem(self.path).encode()
        return stem if all(stem in word for word in self.words) else b""


def named_files(tree: Tree, paths: Collection[str]) -> frozenset[str]:
    """Those of `paths` that a text of the tree names, by path or as a module to run."""
    wanted: dict[bytes, list[_Wanted]] = {}  # many programs of a tree have the same name
    for one in map(_Wanted, paths):
        wanted.setdefault(one.common, []).append(one)
    found: set[str] = set()
    every = frozenset(tree.paths)
    for text in (p for p in tree.paths if wanted and not p.endswith(_DATA)):
        data = _bytes(tree, text)
        near = (one for common, alike in wanted.items() if common in data for one in alike)
        near = (one for one in near if one.path not in found and one.path != text)
        asked = [one for one in near if any(word in data for word in one.words)]
        said = _Text(text, data.decode(errors="replace") if asked else "", every)
        found |= {one.path for one in asked if said.names(one.path, one.pattern)}
    return frozenset(found)


def _bytes(tree: Tree, path: str) -> bytes:
    try:
        return tree.read_bytes(path)
    except UnreadableFile:
        return b""


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
