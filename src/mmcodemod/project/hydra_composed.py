"""What hydra composes for a launch: the configuration of `@hydra.main(...)`, with its defaults and what words
of the launch choose. Must-analysis: None where a file is not there, or anything else may have a say.

Source: hydra 1.3, https://hydra.cc/docs/advanced/defaults_list/ and .../overriding_packages/: entries in
order, `_self_` last where it is not written; a file of a group stands under the group's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from posixpath import dirname

from mmcodemod.facts.node import Node
from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.project.flags import node_options
from mmcodemod.project.hydra_configs import chosen, may_be_given
from mmcodemod.project.hydra_mains import hydra_main
from mmcodemod.project.launch_words import given
from mmcodemod.project.model import Project
from mmcodemod.project.overrides import PREFIX
from mmcodemod.project.sources import Sources

_SELF = "_self_"
_GLOBAL = b"# @package _global_"
_PACKAGE = b"@package"
_REFERS = "${"
MAX_FILES = 60


class _Open(Exception):
    """What is composed does not show."""


@frozen()
class Composed:
    """`options` by dotted key; `path` of the first file."""

    path: str
    options: dict[str, Option]


def composed(project: Project, context: Context) -> Composed | None:
    """What a program of hydra is given; None where that is open."""
    words, entry = given(context), context.entry
    main = hydra_main(project, entry) if entry is not None else None
    if words is None or main is None or entry is None or may_be_given(project, entry):
        return None
    name = chosen(main, words)
    groups = dict(word.split("=", 1) for word in words.words if word.count("=") == 1)
    if not name:
        return None
    try:
        return _Composer(project.sources, main.folder, groups).whole(name, context)
    except _Open:
        return None


class _Composer:
    """`groups`: words of the launch, which may choose the file of a group."""

    def __init__(self, sources: Sources, folder: str, groups: dict[str, str]) -> None:
        self._sources, self._folder, self._groups = sources, folder, groups
        self._options: dict[str, Option] = {}
        self._left = MAX_FILES

    def whole(self, name: str, context: Context) -> Composed:
        path = self._path(name)
        self._add(path, "", "")
        for key, option in context.options.items():
            if key.startswith(PREFIX):
                self._options[key.removeprefix(PREFIX)] = option
        for key, value in self._groups.items():
            if key in self._options and "." not in key:
                self._options[key] = Option(UNKNOWN, self._options[key].at, value)
        return Composed(path, self._options)

    def _path(self, name: str) -> str:
        stem = f"{self._folder}/{name}".lstrip("/")
        ends = ("",) if name.endswith((".yaml", ".yml")) else (".yaml",)
        found = next((stem + end for end in ends if stem + end in self._sources.paths), "")
        if not found:
            raise _Open
        return found

    def _add(self, path: str, group: str, package: str) -> None:
        """A file of a group, and what its defaults name."""
        self._left -= 1
        root, data = self._sources.root(path), self._sources.data(path)
        if self._left < 0 or root is None or (_PACKAGE in data and not data.startswith(_GLOBAL)):
            raise _Open
        package = "" if data.startswith(_GLOBAL) else package
        own = node_options(root, path, f"{package}." if package else "")
        listed = root.member("defaults")
        for entry in listed.node.items if listed is not None else ():
            if entry.value == _SELF:
                self._put(own)
                own = {}
            else:
                self._entry(entry, group)
        self._put(own)

    def _put(self, own: dict[str, Option]) -> None:
        for key, option in own.items():
            refers = isinstance(option.value, str) and _REFERS in option.value
            if not key.startswith("defaults"):
                self._options[key] = replace(option, value=UNKNOWN) if refers else option

    def _entry(self, entry: Node, group: str) -> None:
        """`name`, `group: name` or `group: [name, name]` of a list of defaults."""
        if entry.kind != "object":
            self._file(group, entry.value)
            return
        for member in entry.members:
            if member.key.startswith(("override", "hydra", "/hydra")):
                continue
            if set(member.key) & set("@ ") or member.key.startswith("/"):
                raise _Open
            below = f"{group}/{member.key}".lstrip("/")
            for name in self._names(below, member.node):
                if name is not None:
                    self._file(below, name)

    def _names(self, group: str, node: Node) -> Sequence[object]:
        """The files of a group: those that the launch chooses, else those of the list."""
        chosen = self._groups.get(group)
        if chosen is None:
            return [item.value for item in node.items] or [node.value]
        several = chosen.startswith("[") and chosen.endswith("]")
        return [part.strip() for part in chosen[1:-1].split(",")] if several else [chosen]

    def _file(self, group: str, name: object) -> None:
        if not isinstance(name, str) or _REFERS in name or name.startswith("/"):
            raise _Open
        path = self._path(f"{group}/{name}".lstrip("/"))
        inner = dirname(f"{group}/{name}".lstrip("/"))
        self._add(path, inner, inner.replace("/", "."))
