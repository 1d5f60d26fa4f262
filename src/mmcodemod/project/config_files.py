"""What the YAML and JSON files of the tree say for keys that code reads as attributes: `cfg.solver.steps`."""

from __future__ import annotations

import ast
from itertools import islice

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.option import Option
from mmcodemod.project.flags import PASSED_ON, member_place, node_option
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins

_FILES = (".yaml", ".yml", ".json")
_LOADS = ("omegaconf.OmegaConf.load", "OmegaConf.load")
MAX_FILES = 200  # that hold one key


def loaded_key(project: Project, expr: ast.expr, function: str) -> str:
    """The dotted key that an attribute reads of what OmegaConf loads from a file; "" for all else."""
    parts: list[str] = []
    while isinstance(expr, ast.Attribute):
        parts.insert(0, expr.attr)
        expr = expr.value
    if not parts or not isinstance(expr, ast.Name):
        return ""
    ends = [o.expr for o in Origins(project).of(expr, function)]
    loaded = bool(ends) and all(isinstance(e, ast.Call) and unparse(e.func).endswith(_LOADS) for e in ends)
    return ".".join(parts) if loaded else ""


def by_file(project: Project, context: Context, *keys: str) -> list[list[Option]]:
    """What each file gives for all of the keys: the file of the run where its launch shows it, else each of
    the tree that has them all."""
    own = [context.option(key) for key in keys]
    if all(option.at is not None for option in own):
        return [own]
    if any(option.at is not None for option in own) or context.option(PASSED_ON).at is not None:
        return []
    return project.get(_Holding).of(keys)


class _Holding:
    """The files that hold some keys. Use through `project.get`."""

    def __init__(self, project: Project) -> None:
        self._sources = project.sources
        self._paths = [p for p in project.tree.paths if p.endswith(_FILES)]
        self._known: dict[tuple[str, ...], list[list[Option]]] = {}

    def of(self, keys: tuple[str, ...]) -> list[list[Option]]:
        if keys not in self._known:
            words = [key.rpartition(".")[2].encode() for key in keys]
            near = (p for p in self._paths if all(word in self._sources.data(p) for word in words))
            found = (self._in(path, keys) for path in islice(near, MAX_FILES))
            self._known[keys] = [options for options in found if len(options) == len(keys)]
        return self._known[keys]

    def _in(self, path: str, keys: tuple[str, ...]) -> list[Option]:
        root = self._sources.root(path)
        members = [root.find(key) for key in keys] if root else []
        return [node_option(m.node, member_place(path, m.key_start, m.node)) for m in members if m]
