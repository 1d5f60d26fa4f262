"""Every requirement of the tree, with the folder that it speaks for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import field
from itertools import chain, islice, product

from mmcodemod.facts import installs
from mmcodemod.facts.dependencies import (
    MAX_SIZE,
    included,
    is_requirements_file,
    reader_for,
    requirements_file,
)
from mmcodemod.facts.local_installs import Together, together
from mmcodemod.facts.requirement import Requirement, normalised
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.source.tree import Tree, UnreadableFile, read_text

MAX_REQUIREMENTS = 200_000
MAX_PER_PACKAGE = 2_000  # of a package that is named more often nothing is known
MAX_INCLUDED = 50  # files that one requirements file leads to

_ASIDE = regex(r"\.?docker[\w.-]{0,40}|\.devcontainer|containers?|scripts?|envs?|environments?|conda")
_PAGES = regex(r"docs?|documentation")
_COMMANDS = (installs.script, installs.dockerfile, installs.readme)
_PROJECT_TOOLS = regex(r"\b(?:uv sync|poetry install|pdm install|setup\.py develop)\b")
PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg")
_PACKAGED = (".dist-info", ".egg-info")


@frozen(slots=True)
class Stands:
    """A requirement and where it stands. `folder`: the project folder that it speaks for; `aside`: from a
    folder of Dockerfiles, scripts or environments inside of that; `joined`: from a requirements file
    elsewhere that install commands name together with the project in this folder; `instead`: from one that
    they name, while they never install the project in this folder."""

    found: Requirement
    at: Place
    folder: str
    aside: bool = False
    joined: bool = False
    instead: bool = False


def requirements(tree: Tree) -> dict[str, list[Stands]]:
    """By normalised name, in path and line order. May: optional extras count."""
    reading = _Reading(tree, frozenset(tree.paths))
    result: dict[str, dict[Stands, None]] = {}
    for stands in islice(chain(reading.all(), reading.instead()), MAX_REQUIREMENTS):
        found = result.setdefault(normalised(stands.found.name), {})
        if len(found) <= MAX_PER_PACKAGE:
            found[stands] = None
    return {name: list(found) for name, found in result.items() if len(found) <= MAX_PER_PACKAGE}


@frozen(slots=True)
class _File:
    """What one file states, and the files of the tree that its `-r` and `-c` lines name."""

    stated: tuple[Requirement, ...] = ()
    includes: tuple[str, ...] = ()


@mutable()
class _Reading:
    tree: Tree
    known: frozenset[str]
    files: dict[str, _File] = field(default_factory=dict)
    commands: dict[str, list[Together]] = field(default_factory=dict)

    def all(self) -> Iterator[Stands]:
        for path in self.tree.paths:
            if (reader := reader_for(path)) is not None:
                folder, aside = _spoken_for(path)
                for source in self._with_included(path):
                    for found in self._file(source).stated:
                        yield Stands(found, Place(source, found.line), folder, aside)
                if reader[0] in _COMMANDS:
                    yield from self._joined(path)

    def instead(self) -> Iterator[Stands]:
        """What requirements files that install commands name say, for projects below that none installs."""
        named = list(self._named())
        homes = {posixpath.dirname(p) for p in self.known if posixpath.basename(p) in PACKAGING}
        homes -= {path for is_file, path in named if not is_file}
        for file in dict.fromkeys(path for is_file, path in named if is_file and path in self.known):
            above = posixpath.dirname(file)
            for home in sorted(h for h in homes if _is_below(h, above)):
                for source in self._with_included(file):
                    for found in self._file(source).stated:
                        yield Stands(found, Place(source, found.line), home, instead=True)

    def _named(self) -> Iterator[tuple[bool, str]]:
        """(is it a requirements file?, path) of all that install commands of the tree take from it."""
        for path in self.tree.paths:
            reader = reader_for(path)
            if reader is not None and reader[0] in (*_COMMANDS, installs.page):
                folder = posixpath.dirname(path)
                if _PROJECT_TOOLS.search(_text_of(self.tree, path, MAX_SIZE)):
                    homes = (posixpath.dirname(p) for p in self.known if posixpath.basename(p) in PACKAGING)
                    yield from ((False, home) for home in homes if _is_below(home, folder))
                for found in self._together(path):
                    yield from ((False, _below(folder, name)) for name in found.projects)
                    yield from ((True, _below(folder, name)) for name in found.files)

    def _joined(self, path: str) -> Iterator[Stands]:
        """What the install commands of a file put into the same environment as a project of the tree."""
        for found in self._together(path):
            for project, file in product(found.projects, found.files):
                yield from self._beside(posixpath.dirname(path), project, file)

    def _together(self, path: str) -> list[Together]:
        if path not in self.commands:
            self.commands[path] = list(together(path, _text_of(self.tree, path, MAX_SIZE)))
        return self.commands[path]

    def _beside(self, folder: str, project: str, file: str) -> Iterator[Stands]:
        """Commands in a folder below the project's may set up another environment than that of its runs."""
        home, named = _below(folder, project), _below(folder, file)
        packaged = any(posixpath.join(home, name) in self.known for name in PACKAGING)
        if packaged and _is_below(home, folder) and named in self.known and posixpath.dirname(named) != home:
            for source in self._with_included(named):
                for found in self._file(source).stated:
                    yield Stands(found, Place(source, found.line), home, joined=True)

    def _with_included(self, path: str) -> list[str]:
        """A file, then what its includes lead to."""
        reached = [path]
        for current in reached:
            for target in self._file(current).includes:
                if target not in reached and len(reached) < MAX_INCLUDED:
                    reached.append(target)
        return reached

    def _file(self, path: str) -> _File:
        if path not in self.files:
            self.files[path] = self._read(path)
        return self.files[path]

    def _read(self, path: str) -> _File:
        """A file that others include is a requirements file, whatever its name."""
        reader, limit = reader_for(path) or (requirements_file, MAX_SIZE)
        text = _text_of(self.tree, path, limit)
        includes = self._targets(path, text) if reader is requirements_file else ()
        return _File(tuple(reader(text)), includes)

    def _targets(self, path: str, text: str) -> tuple[str, ...]:
        folder = posixpath.dirname(path)
        named = (posixpath.normpath(posixpath.join(folder, name)) for name in included(text))
        return tuple(islice(dict.fromkeys(t for t in named if t in self.known), MAX_INCLUDED))


def _is_below(folder: str, above: str) -> bool:
    """Is it that folder, or inside of it? "" is the root."""
    return not above or f"{folder}/".startswith(f"{above}/")


def _below(folder: str, name: str) -> str:
    """A path that a command in a folder names."""
    path = posixpath.normpath(posixpath.join(folder, name))
    return "" if path == "." else path


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
    if is_requirements_file(path) or path.endswith((".py", ".toml", ".cfg", ".lock", "Pipfile")):
        return folder, False
    if path.lower().endswith(".md"):
        reader = reader_for(path)
        other = reader is not None and reader[0] is installs.page
        return _beside_pages(folder) if other else (folder, False)
    above = _above(folder, _ASIDE)
    return (folder, False) if above is None else (above, True)


def _beside_pages(folder: str) -> tuple[str, bool]:
    """Pages that are no README come second, and those of `docs/` are about what lies beside it."""
    found = [above for kind in (_ASIDE, _PAGES) if (above := _above(folder, kind)) is not None]
    return min(found, key=len, default=folder), True


def _above(folder: str, kind: re.Pattern[str]) -> str | None:
    """The folder that holds the first part of this kind; None without one."""
    parts = folder.split("/")
    at = next((at for at, part in enumerate(parts) if kind.fullmatch(part.lower())), None)
    return None if at is None else "/".join(parts[:at])
