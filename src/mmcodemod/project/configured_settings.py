"""What the constructor of a model is given where a configuration written in Python builds it.
May-analysis, as `settings`; of a parameter that the configuration leaves out, the default.

Source: mmengine's Runner builds what stands under `model`: `dict(type=Model, freeze_tower=True)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from mmcodemod.model.context import NOT_SET, Context
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.project.model import Project
from mmcodemod.project.passings import default_of
from mmcodemod.project.python_config import config_options, is_config
from mmcodemod.project.setting import OBJECT, Setting
from mmcodemod.project.settings import Settings

MODEL = "config.model"
MAX_CONFIGS = 200  # that build one class


class ConfiguredSettings(Settings):
    """`Settings`, and what the configuration of the run gives the constructor of the class `cls`, by id."""

    def __init__(self, project: Project, context: Context, cls: str) -> None:
        super().__init__(project, context)
        self._class = cls
        kind = str(context.option(f"{MODEL}.type").value).rpartition(".")[2]
        self.configured = bool(cls) and kind == cls.rpartition("::")[2]

    def of(self, expr: ast.expr, function: str) -> frozenset[Setting]:
        found = self._parameter(expr, function) if self.configured else None
        if found is None:
            return super().of(expr, function)
        given = self._told(found[1])
        if given is not None:
            return frozenset((given,))
        default = default_of(self.project.index.function(found[0]), found[1])
        return frozenset((Setting(UNKNOWN),)) if default is None else super().of(default, found[0])

    def _told(self, name: str) -> Setting | None:
        """What the configuration says; a dictionary with a type is an object."""
        assert self.context is not None
        option, below = (self.context.option(f"{MODEL}.{name}{end}") for end in ("", ".type"))
        if below.at is not None:
            return Setting(OBJECT, below.at, name, given=True)
        if option.at is None:
            return None
        return Setting(option.value if option.known else UNKNOWN, option.at, name, given=True)

    def _parameter(self, expr: ast.expr, function: str) -> tuple[str, str] | None:
        """(`__init__`, name) of the parameter that an expression is: itself, or kept as `self.name`."""
        init = self.project.index.files[self._class.partition("::")[0]].classes
        method = next((c.methods.get("__init__") for c in init.values() if c.id == self._class), None)
        if method is None:
            return None
        made = f"{self._class.partition('::')[0]}::{method}"
        facts = self.project.index.function(made)
        if isinstance(expr, ast.Attribute) and isinstance(expr.value, ast.Name) and expr.value.id == "self":
            stores = [s for s in self.project.resolver.body(made).stores if s.attr == expr.attr]
            value = stores[0].value.expr if len(stores) == 1 else None
            return self._parameter(value, made) if isinstance(value, ast.Name) else None
        if isinstance(expr, ast.Name) and function == made and expr.id in facts.parameters.names:
            return None if self.project.resolver.body(made).names.get(expr.id) else (made, expr.id)
        return None


def ways(project: Project, context: Context, cls: str) -> list[Context]:
    """The run; one that names no configuration, with each of the tree that builds the class, by id."""
    if not cls or (context.entry is not None and context.entry.config):
        return [context]
    found = project.get(_Building).options(cls.rpartition("::")[2])
    return [replace(context, options={**context.options, **options}) for options in found] or [context]


class _Building:
    """The options of the configurations that build a class. Use through `project.get`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._sources = project.sources
        self._known: dict[str, list[dict[str, Option]]] = {}

    def options(self, name: str) -> list[dict[str, Option]]:
        """Of each configuration that names the class, in the order of paths."""
        if name not in self._known:
            self._known[name] = list(islice(self._found(name), MAX_CONFIGS))
        return self._known[name]

    def _found(self, name: str) -> Iterator[dict[str, Option]]:
        for path in self._project.index.python_files:
            if name.encode() in self._sources.data(path) and is_config(self._sources, path):
                options = config_options(self._sources, path)
                found = {f"config.{key}": o for key, o in options.items() if key.startswith("model.")}
                if str(found.get(f"{MODEL}.type", NOT_SET).value).rpartition(".")[2] == name:
                    yield found
