"""Calls of `deepspeed.initialize` in the tree: the configuration and the optimizer that they are given.

Source: https://deepspeed.readthedocs.io/en/latest/initialize.html. Without `config`, the engine reads the
file that `args.deepspeed_config` names.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator

from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.project.loaded_files import file_behind
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.settings import Settings

_NAME = "deepspeed.initialize"
_CONFIG = ("config", "config_params")
_OPTIMIZER = 2  # its place among the positional parameters
_FLAG = "deepspeed_config"


@frozen()
class Initialized:
    """One call, in `function`. Arguments are None when they are not given."""

    function: str
    call: ast.Call

    @property
    def config(self) -> ast.expr | None:
        return next((k.value for k in self.call.keywords if k.arg in _CONFIG), None)

    @property
    def optimizer(self) -> ast.expr | None:
        named = next((k.value for k in self.call.keywords if k.arg == "optimizer"), None)
        placed = self.call.args[_OPTIMIZER : _OPTIMIZER + 1]
        return named or next(iter(placed), None)

    @property
    def spreads(self) -> bool:
        """May arguments come from `*args` or `**kwargs`?"""
        starred = any(isinstance(a, ast.Starred) for a in self.call.args)
        return starred or any(k.arg is None for k in self.call.keywords)


def initialized(project: Project) -> list[Initialized]:
    """The calls that training reaches, in source order. Use through `project.get(initialized)`."""
    found = {
        (frame.function, outside.site.lineno, outside.site.col_offset): outside
        for frame, calls in project.graph.external.items()
        for outside in calls
        if outside.name == _NAME
    }
    return [Initialized(key[0], found[key].call) for key in sorted(found)]


def in_run(project: Project, context: Context) -> list[Initialized]:
    """Those that one run reaches."""
    reach = project.reach(context.entry) if context.entry else None
    return [i for i in project.get(initialized) if reach is None or i.function in reach]


def written(project: Project, made: Initialized) -> list[Origin]:
    """The dicts of the code that may be its configuration."""
    origins = Origins(project).of(made.config, made.function) if made.config is not None else []
    return [o for o in origins if isinstance(o.expr, ast.Dict)]


def of_the_code(project: Project, made: Initialized) -> bool:
    """Must: is its configuration a dict of the code, and no file?"""
    origins = Origins(project).of(made.config, made.function) if made.config is not None else []
    return bool(origins) and all(isinstance(o.expr, ast.Dict) for o in origins)


def reads(project: Project, context: Context, made: Initialized, path: str) -> bool:
    """Must: is the configuration that the call is given the file `path`?"""
    if made.config is None:
        return not made.spreads and context.option(_FLAG).at is not None
    settings = Settings(project, context)
    origins = settings.origins(made.config, made.function)
    return bool(origins) and all(_is_file(settings, o, path) for o in origins)


def _is_file(settings: Settings, origin: Origin, path: str) -> bool:
    """The path itself, or a call that loads it: `json.load(open(args.config))`."""
    wanted = posixpath.basename(path)
    read = file_behind(settings.project, origin)
    parts = [Origin(part, origin.function) for part in _parts(origin.expr)] + ([read] if read else [])
    return any(
        isinstance(s.value, str) and posixpath.basename(s.value) == wanted
        for part in parts
        for s in settings.of(part.expr, part.function)
    )


def _parts(expr: ast.expr) -> Iterator[ast.expr]:
    """The expression, and what a call of it is given, not the words of displays."""
    yield expr
    if isinstance(expr, ast.Call):
        for part in (*expr.args, *(k.value for k in expr.keywords)):
            yield from _parts(part)
