"""Which files say a word. Their bytes are gone through once for the names in them; a word is then looked up
among the distinct names, of which a tree of 300,000 lines has 27,000."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable

from mmcodemod.model.pattern import regex

_NAMES = regex(rb"\w+")
_APART = bytes(c if c in (string.ascii_letters + string.digits + "_").encode() else 32 for c in range(256))


class Words:
    """The files of a tree by the names in their bytes. `read` gives the bytes of a path."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], bytes]) -> None:
        self._read = read
        self._paths = tuple(paths)
        found: dict[bytes, list[str]] = {}
        for path in self._paths:
            for name in set(read(path).translate(_APART).split()):
                found.setdefault(name, []).append(path)
        alone = {path: (path,) for path in self._paths}  # most names stand in one file
        self._files = {n: tuple(files) if len(files) > 1 else alone[files[0]] for n, files in found.items()}
        self._all = b" ".join(found)

    def saying(self, word: str) -> frozenset[str]:
        """The files whose bytes contain `word` anywhere, also within a longer name."""
        wanted = word.encode()
        longest = max(_NAMES.findall(wanted), key=len, default=b"")
        named = (path for name in self._holding(longest) for path in self._files[name])
        found = frozenset(named if longest else self._paths)
        return found if longest == wanted else frozenset(p for p in found if wanted in self._read(p))

    def _holding(self, part: bytes) -> set[bytes]:
        """The distinct names that contain it."""
        found, at = set(), self._all.find(part)
        while part and at >= 0:
            end = self._all.find(b" ", at)
            end = len(self._all) if end < 0 else end
            found.add(self._all[self._all.rfind(b" ", 0, at) + 1 : end])
            at = self._all.find(part, end)
        return found
