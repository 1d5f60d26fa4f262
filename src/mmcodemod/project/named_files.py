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
_OF_PATHS = "_$./{}+-"  # besides letters and digits
_VARIABLE = regex(r"\$\w+/|\$\{\w+\}/")


@frozen()
class _Text:
    """A text that may name files: its path, what it says, and the paths of the tree it is in."""

    path: str
    words: str
    paths: frozenset[str]

    def names(self, one: _Wanted) -> bool:
        """By a path, or as a module that is run."""
        if any(self._fits(written, one.path) for written in self._written(one.file)):
            return True
        return any(name in self.words for name in one.modules) and bool(one.module.search(self.words))

    def _written(self, name: re.Pattern[str]) -> list[str]:
        """The paths that are written with a name, each as long as it is."""
        found: dict[int, int] = {}
        begin = end = 0
        for match in name.finditer(self.words):
            start = self._start(match.end(), end)
            begin, end = begin if found and start == end else start, match.end()
            found[begin] = end
        return [self.words[start:end] for start, end in found.items()]

    def _start(self, end: int, least: int) -> int:
        """Where a path begins that ends there, `least` at least."""
        while end > least and (self.words[end - 1].isalnum() or self.words[end - 1] in _OF_PATHS):
            end -= 1
        return end

    def _fits(self, written: str, path: str) -> bool:
        """May a path as written here mean this file? One that is there from here means no other."""
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
    """A file that texts may name, by `file` or as one of the `modules`; `common`: what all its names hold."""

    def __init__(self, path: str) -> None:
        self.path = path
        stem, name = _stem(path), basename(path)
        self.modules = _modules(path)[-1], f"{stem}.__file__"
        self.names = [word.encode() for word in (name, *self.modules)]
        self.common = stem.encode() if stem in name else b""

    @cached_property
    def file(self) -> re.Pattern[str]:
        return re.compile(rf"{re.escape(basename(self.path))}(?!\w)")

    @cached_property
    def module(self) -> re.Pattern[str]:
        """Named as a module that is run: behind `-m`, with a function (`pkg.train:main`), as a whole string,
        or by its `__file__`."""
        names = [re.escape(name) for name in _modules(self.path)]
        dotted = "|".join(name for name in names if "." in name) or "(?!)"
        run = rf"(?:-m|--module)\s+(?:{'|'.join(names)})(?![\w.])"
        own = rf"(?<!\w){re.escape(_stem(self.path))}\.__file__"
        return re.compile(rf"{run}|(?<![\w.])(?:{dotted}):\w|[\"'](?:{dotted})[\"']|{own}")


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
        asked = [one for one in near if any(name in data for name in one.names)]
        said = _Text(text, data.decode(errors="replace") if asked else "", every)
        found |= {one.path for one in asked if said.names(one)}
    return frozenset(found)


def _bytes(tree: Tree, path: str) -> bytes:
    try:
        return tree.read_bytes(path)
    except UnreadableFile:
        return b""


def _modules(path: str) -> list[str]:
    """The dotted names of a file, from the top of the tree and from folders below; the shortest, with its
    package, is last."""
    plain = path.removeprefix("src/").removesuffix(".py").removesuffix("/__main__")
    parts = plain.split("/")
    return [".".join(parts[at:]) for at in range(max(len(parts) - 1, 1))]


def _stem(path: str) -> str:
    return _modules(path)[-1].rpartition(".")[2]
