"""Packages of the tree that a page installs from a repository of their own: which code a program beside them
imports is open. The page speaks of the tree itself where the project is the whole tree. May-analysis."""

from __future__ import annotations

import re
from posixpath import dirname

from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of

_PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg")
_TELLING = (".md", ".rst", ".sh", "requirements.txt", "environment.yml", "environment.yaml", "Dockerfile")
_CLONES = regex(r"\bgit\s+clone\s[^\n]*|\bgit\+\w+://[^\s\"']+")
_LAST = regex(r"/([\w.-]+?)(?:\.git)?/?(?=[\s\"'`@#]|$)")
_NAMED = regex(r"^\s*name\s*=\s*[\"']?([\w.-]+)", re.MULTILINE)


@frozen()
class _Packaged:
    """A project below the root of the tree: its folder, and the names that its files give it."""

    folder: str
    names: frozenset[str]


def may_be_other(project: Project, path: str, entry: str) -> bool:
    """May a program import another release of what a file is part of? Not of what lies beside it."""
    if path.startswith(f"{dirname(entry)}/".lstrip("/")):
        return False
    around = (one for one in project.get(_packaged) if path.startswith(f"{one.folder}/"))
    return any(one.names & project.get(_cloned) for one in around)


def _packaged(project: Project) -> tuple[_Packaged, ...]:
    found: dict[str, set[str]] = {}
    for path in project.tree.paths:
        if path.endswith(_PACKAGING) and dirname(path):
            names = _NAMED.findall(text_of(project, path))
            found.setdefault(dirname(path), set()).update(map(_plain, names))
    return tuple(_Packaged(folder, frozenset(names)) for folder, names in found.items())


def _cloned(project: Project) -> frozenset[str]:
    """The names of the repositories that texts of the tree install or clone."""
    told = (text_of(project, p) for p in project.tree.paths if p.endswith(_TELLING))
    commands = (command for text in told for command in _CLONES.findall(text))
    return frozenset(_plain(name) for command in commands for name in _LAST.findall(command))


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")
