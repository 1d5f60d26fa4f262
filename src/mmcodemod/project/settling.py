"""Questions that rest on each other, asked on demand. An answer that was cut, because its question is open or
they are too deep, is asked again when the outermost one is answered; where it grows, so are its readers."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from mmcodemod.project.bits import Bits, union

MAX_DEPTH = 40
_NONE = Bits.NONE
K = TypeVar("K", bound=Hashable)


class Settling(Generic[K]):
    """`ask` answers a question once, and asks others here."""

    def __init__(self, ask: Callable[[K], Bits]) -> None:
        self._ask = ask
        self._memo: dict[K, Bits] = {}
        self._open: dict[K, int] = {}  # what is being asked, with its depth
        self._lowest = MAX_DEPTH  # the outermost open question that an answer was cut at
        self._partial: dict[K, int] = {}  # such answers, with that question's depth
        self._asking: K | None = None  # the innermost open question
        self._readers: dict[K, set[K]] = {}  # who rests on an answer

    def settled(self, key: K) -> Bits:
        """The answer; the whole of it, where nothing else is being asked."""
        bits = self.kept(key)
        if self._partial and not self._open:
            self._settle()
        if not self._partial and not self._open:
            self._readers.clear()  # nothing grows any more
        return self._memo.get(key, bits)

    def kept(self, key: K) -> Bits:
        """The answer; partial where it was cut at an open question, or at itself."""
        if self._asking is not None:
            self._readers.setdefault(key, set()).add(self._asking)
        if key not in self._memo:
            outside, self._lowest = self._lowest, MAX_DEPTH
            self._memo[key] = self._guarded(key)
            if self._lowest <= len(self._open):
                self._partial[key] = self._lowest
            self._lowest = outside
        self._lowest = min(self._lowest, self._partial.get(key, MAX_DEPTH))
        return self._memo[key]

    def _guarded(self, key: K) -> Bits:
        if key in self._open or len(self._open) > MAX_DEPTH:
            self._lowest = min(self._lowest, self._open.get(key, 0))
            return _NONE
        self._open[key] = len(self._open)
        asking, self._asking = self._asking, key
        try:
            return self._ask(key)
        finally:
            self._asking = asking
            del self._open[key]

    def _settle(self) -> None:
        """Inside a cycle, answers lack what its start gives: they are asked again, and where one grows those
        that rest on it, until none does."""
        todo, self._partial, self._lowest = dict(self._partial), {}, MAX_DEPTH
        while todo:
            key = next(iter(todo))
            del todo[key]
            before = self._memo.get(key, _NONE)  # of a question that crashed there is none
            self._memo[key] = union((before, self._guarded(key)))
            if self._memo[key] != before:
                todo.update(dict.fromkeys(self._readers.get(key, ()), 0))
