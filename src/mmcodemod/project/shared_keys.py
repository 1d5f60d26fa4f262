"""What every file in the folder of `@hydra.main` gives for a key, whichever groups a launch composes: `null`
in all of them is `null` in the run. Must-analysis: only switches and nothing, where neither the launch nor
the code gives the key anew.

Source: https://hydra.cc/docs/advanced/defaults_list/ (a file of a group stands under the name of its folder).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from posixpath import dirname

from mmcodemod.model.context import MAX_COMMAND, Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.config_reads import changed
from mmcodemod.project.filled_attributes import filled_from
from mmcodemod.project.flags import PASSED_ON, member_place, node_option
from mmcodemod.project.hydra_mains import HydraMain, hydra_main
from mmcodemod.project.model import Project

_FILES = (".yaml", ".yml")
MAX_FILES = 100  # that speak of one key
_ELSEWHERE = regex(r"(?<!\S)(?:-c[pd]|--config-(?:path|dir))\b|searchpath|\.{3}")
_MOVES = b"@package"  # puts the keys of a file under another name


@frozen()
class Shared:
    """The value that all files give, and the first place of it."""

    key: str
    value: bool | None
    at: Place


def shared_key(
    project: Project, context: Context | None, expr: ast.Attribute, function: str
) -> Shared | None:
    """What an attribute, which a loop over the entries of a table sets, has in a run; None where files differ
    or anything is open."""
    if context is None or context.entry is None or context.option(PASSED_ON).at is not None:
        return None
    if not any(p.endswith(_FILES) for p in project.tree.paths):
        return None
    table = filled_from(project, expr, function)
    main = hydra_main(project, context.entry) if table else None
    if main is None or _given(context, table, expr.attr) or changed(project, expr.attr):
        return None
    return project.get(_Files).shared(main, f"{table}.{expr.attr}")


def _given(context: Context, table: str, name: str) -> bool:
    """May a word of the launch give the key, or the table, or choose other files?"""
    command = context.command
    word = rf"(?<![\w-])[\w.@/+~]*\b(?:{re.escape(name)}|{re.escape(table)})(?:\.\w+)*="
    return len(command) >= MAX_COMMAND or bool(re.search(word, command) or _ELSEWHERE.search(command))


class _Files:
    """The files that speak of keys. Use through `project.get`."""

    def __init__(self, project: Project) -> None:
        self._sources = project.sources
        self._known: dict[tuple[str, str], Shared | None] = {}

    def shared(self, main: HydraMain, key: str) -> Shared | None:
        if (main.folder, key) not in self._known:
            self._known[main.folder, key] = self._agreed(main.folder, key)
        return self._known[main.folder, key]

    def _agreed(self, folder: str, key: str) -> Shared | None:
        name = key.rpartition(".")[2].encode()
        inside = sorted(p for p in self._sources.paths if p.startswith(f"{folder}/".lstrip("/")))
        near = [p for p in inside if p.endswith(_FILES) and name in self._sources.data(p)]
        if len(near) > MAX_FILES or any(_MOVES in self._sources.data(p) for p in near):
            return None
        found = [shared for path in near for shared in self._in(folder, path, key)]
        values = {shared.value if shared else "" for shared in found}
        return found[0] if len(values) == 1 else None

    def _in(self, folder: str, path: str, key: str) -> Iterator[Shared | None]:
        """What a file gives for keys that end so, wherever its group is put; None for what is no switch."""
        root = self._sources.root(path)
        group = dirname(path[len(folder) :].lstrip("/")).replace("/", ".")
        for name, member in root.leaves() if root else ():
            if f".{group}.{name}".endswith(f".{key}"):
                place = member_place(path, member.key_start, member.node)
                option = node_option(member.node, place)
                plain = option.value is None or isinstance(option.value, bool)
                yield Shared(key, option.value, place) if plain else None  # type: ignore[arg-type]
        if root is None:
            yield None
