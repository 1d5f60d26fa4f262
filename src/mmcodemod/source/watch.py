"""Trees that watch what is read: progress for a person, and the content that fixes were made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from hashlib import blake2b

from mmcodemod.model.finding import Problem
from mmcodemod.model.frozen import frozen
from mmcodemod.source.tree import Tree, UnreadableFile


def _same(tree: Tree) -> Tree:
    return tree


@frozen()
class ProgressTree:
    """Calls `tell(files read, all files)`. A worker process gets the bare tree."""

    base: Tree
    tell: Callable[[int, int], None]
    seen: set[str] = field(default_factory=set)

    @property
    def paths(self) -> tuple[str, ...]:
        return self.base.paths

    @property
    def unread(self) -> frozenset[str]:
        return self.base.unread

    def read_bytes(self, path: str) -> bytes:
        self.seen.add(path)
        self.tell(len(self.seen), len(self.base.paths))
        return self.base.read_bytes(path)

    def __reduce__(self) -> tuple[Callable[[Tree], Tree], tuple[Tree]]:
        return _same, (self.base,)


@frozen()
class RememberingTree:
    """Remembers a digest of what each file held when it was first read."""

    base: Tree
    digests: dict[str, bytes] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[str, ...]:
        return self.base.paths

    @property
    def unread(self) -> frozenset[str]:
        return self.base.unread

    def read_bytes(self, path: str) -> bytes:
        data = self.base.read_bytes(path)
        self.digests.setdefault(path, _digest(data))
        return data

    def still(self, paths: Iterable[str]) -> tuple[dict[str, bytes], list[Problem]]:
        """The content of those files that hold what was first read, and a problem for each other one."""
        same: dict[str, bytes] = {}
        problems = []
        for path in sorted(paths):
            try:
                data = self.read_bytes(path)
            except UnreadableFile as error:
                problems.append(Problem(path, "fix", f"not fixed: {error.message}"))
                continue
            if self.digests[path] == _digest(data):
                same[path] = data
            else:
                problems.append(Problem(path, "fix", "not fixed: it changed since it was read"))
        return same, problems

    def __reduce__(self) -> tuple[Callable[[Tree], Tree], tuple[Tree]]:
        return _same, (self.base,)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
