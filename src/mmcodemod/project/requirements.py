"""Every requirement of the tree, with the folder that it speaks for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mmcodemod.facts.dependencies import included, is_requirements_file, reader_for, requirements_file
from mmcodemod.facts.requirement import Requirement, normalised
from mmcodemod.model.place import Place
from mmcodemod.source.tree import Tree, UnreadableFile, read_text

MAX_REQUIREMENTS = 200_000
MAX_INCLUDED = 50  # files that one requirements file leads to

_ASIDE = re.compile(r"\.?docker[\w.-]{0,40}|\.devcontainer|containers?|scripts?|envs?|environments?|conda")
_PACKAGED = (".dist-info", ".egg-info")


@dataclass(frozen=True, slots=True)
class Stands:
    """A requirement and where it stands. `folder`: the project folder that it speaks for; `aside`: from a
    folder of Dockerfiles, scripts or environments inside of that."""

    found: Requirement
    at: Place
    folder: str
    aside: bool = False


def requirements(tree: Tree) -> dict[str, list[Stands]]:
    """By normalised name, in path and line order. May: optional extras count."""
    return _Reading(tree).all()


@dataclass
class _Reading:
    tree: Tree
    count: int = 0
    read: dict[str, tuple[str, list[Requirement]]] = field(default_factory=dict)

    def all(self) -> dict[str, list[Stands]]:
        result: dict[str, dict[Stands, None]] = {}
        for path in self.tree.paths:
            for stands in self._of(path):
                result.setdefault(normalised(stands.found.name), {})[stands] = None
        return {name: list(found) for name, found in result.items()}

    def _of(self, path: str) -> Iterator[Stands]:
        if reader_for(path) is None:
            return
        folder, aside = _spoken_for(path)
        for source in self._with_included(path) if is_requirements_file(path) else (path,):
            for found in self._requirements(source):
                if self.count >= MAX_REQUIREMENTS:
                    return
                self.count += 1
                yield Stands(found, Place(source, found.line), folder, aside)

    def _with_included(self, path: str) -> Iterator[str]:
        """A requirements file, then what its `-r` and `-c` lines lead to; only files of the tree."""
        waiting, seen, known = [path], {path}, set(self.tree.paths)
        while waiting:
            current = waiting.pop(0)
            yield current
            for name in included(self._text(current)):
                target = posixpath.normpath(posixpath.join(posixpath.dirname(current), name))
                if target in known and target not in seen and len(seen) < MAX_INCLUDED:
                    seen.add(target)
                    waiting.append(target)

    def _text(self, path: str) -> str:
        self._requirements(path)
        return self.read[path][0]

    def _requirements(self, path: str) -> list[Requirement]:
        if path not in self.read:
            reader, limit = reader_for(path) or (requirements_file, 500_000)
            text = _text_of(self.tree, path, limit)
            keep = text if is_requirements_file(path) or reader is requirements_file else ""
            self.read[path] = (keep, list(reader(text)))
        return self.read[path][1]


def _text_of(tree: Tree, path: str, limit: int) -> str:
    """Empty for what cannot be read or is too large."""
    try:
        text = read_text(tree, path)
    except UnreadableFile:
        return ""
    return text if len(text) <= limit else ""


def _spoken_for(path: str) -> tuple[str, bool]:
    """The folder that a file speaks for. `requirements/` and dist-info stand for their parent, and so do
    folders of Dockerfiles, scripts and environments, less directly."""
    folder = posixpath.dirname(path)
    base = posixpath.basename(folder)
    if base == "requirements" or base.endswith(_PACKAGED):
        return posixpath.dirname(folder), False
    if is_requirements_file(path) or path.endswith((".py", ".toml", ".cfg", ".lock", ".md")):
        return folder, False
    parts = folder.split("/")
    aside = next((at for at, part in enumerate(parts) if _ASIDE.fullmatch(part.lower())), None)
    return (folder, False) if aside is None else ("/".join(parts[:aside]), True)
