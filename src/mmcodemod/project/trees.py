"""Syntax trees of the files that somebody looks at closely: read again, and kept until the check ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from mmcodemod.facts.extract import outlined
from mmcodemod.facts.late import let_go
from mmcodemod.facts.outline import Outline


class Trees:
    """Outlines by path, each made at most once: rules compare nodes by identity. Of a `large` tree of files,
    the bodies of functions are kept only once somebody has looked at them."""

    def __init__(self, read: Callable[[str], bytes], large: bool = False) -> None:
        self._read = read
        self._large = large
        self._found: dict[str, Outline] = {}

    def outline(self, path: str) -> Outline:
        """What a file defines, with the nodes of its tree."""
        if path not in self._found:
            self.keep(path, outlined(self._read(path)))
        return self._found[path]

    def glance(self, path: str) -> Outline:
        """The same for who may find nothing there: read for him alone, unless it is kept already."""
        return self._found.get(path) or outlined(self._read(path))

    def keep(self, path: str, outline: Outline, shown: Iterable[str] = ()) -> Outline:
        """Keep what a glance gave, as nodes of the functions `shown` are handed on; returns what is kept,
        another one where somebody has looked meanwhile."""
        if path not in self._found:
            self._found[path] = outline
            if self._large:
                let_go(outline, partial(self._read, path), frozenset(shown))
        return self._found[path]
