"""What the calls that make a Trainer of Lightning give it: how many devices, and which strategy.
May-analysis: what does not show is open."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from mmcodemod.facts.definitions import bare_name
from mmcodemod.knowledge.lightning_saves import (
    BY_DDP,
    CLASSES,
    COUNTS,
    IN_ONE_PROCESS,
    NAMES,
    NODES,
    SPAWNING,
)
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Fatal
from mmcodemod.project.arguments import spreads
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.model import Project
from mmcodemod.project.setting import Setting
from mmcodemod.project.settings import Settings
from mmcodemod.project.stubs import MODELS, is_stub

_MADE = f"{MODELS}/lightning.py::Trainer.__init__"


@frozen()
class Maker:
    """`call` in `function` makes a Trainer."""

    function: str
    call: ast.Call


def making(project: Project, context: Context) -> list[Edge]:
    """The calls in reach of a run that make a Trainer."""
    reach = project.reach(context.entry) if context.entry else None
    edges = [e for e in project.callers(_MADE) if e.site is not None and not is_stub(e.caller.function)]
    return [e for e in edges if reach is None or e.caller.function in reach]


def makers_of(edges: Sequence[Edge]) -> list[Maker]:
    """The makers of some such calls, in the order of files and lines."""
    every = {(e.caller.function, e.line): Maker(e.caller.function, e.call) for e in edges}
    return [every[key] for key in sorted(every)]


# -- devices ---------------------------------------------------------------------------------------------


def asked_for(project: Project, context: Context, maker: Maker) -> Answer | None:
    """Fatal where a Trainer is given several devices, excluded where it is given one, or runs on all of them
    in one process; None where it takes what it finds, and where the number does not show."""
    kind, told = _strategy(project, context, maker)
    if kind == IN_ONE_PROCESS and told is not None:
        return Excluded(Note(told, "the Trainer runs in one process"))
    devices, at = _number(project, context, maker, COUNTS)
    nodes, machines = _number(project, context, maker, (NODES,))
    nodes = 1 if machines is None and not spreads(maker.call) else nodes
    if (devices or 0) > 1 or (nodes or 0) > 1:
        many = at if (devices or 0) > 1 else machines
        return Fatal(Note(many, "the Trainer runs on several devices") if many else None)
    if devices == 1 and nodes == 1 and at is not None:
        return Excluded(Note(at, "the Trainer runs on one device"))
    return None


def _number(
    project: Project, context: Context, maker: Maker, names: Sequence[str]
) -> tuple[int | None, Place | None]:
    """How many devices or nodes one of these arguments asks for, and where; None where that is open."""
    given = next((k.value for k in maker.call.keywords if k.arg in names), None)
    if given is None:
        return None, None
    at = project.place(maker.function.partition("::")[0], given)
    counts = {_count(s.value) for s in _settings(project, context, given, maker)}
    return (counts.pop() if len(counts) == 1 else None), at


def _settings(project: Project, context: Context, given: ast.expr, maker: Maker) -> frozenset[Setting]:
    return Settings(project, context if context.entry else None).of(given, maker.function)


def _count(value: Any) -> int | None:
    """How many devices `8`, `"8"`, `"0,1"` and `[0, 1]` are; None for `-1`, `"auto"` and what is open."""
    if isinstance(value, str):
        parts = [part.strip() for part in value.split(",") if part.strip()]
        value = tuple(parts) if "," in value else int(value) if value.strip().isdigit() else UNKNOWN
    if isinstance(value, tuple):
        return len(value) if value and not {-1, "-1"} & {*value} else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


# -- strategies ------------------------------------------------------------------------------------------


def strategy(project: Project, context: Context, made: Sequence[Maker]) -> tuple[str | None, Place | None]:
    """What all these Trainers spread their work with (knowledge/lightning_saves.py), None where that is open;
    and where one of them is told."""
    found = [_strategy(project, context, maker) for maker in made]
    kinds = {kind for kind, _ in found}
    return kinds.pop() if len(kinds) == 1 else None, next((at for _, at in found if at), None)


def _strategy(project: Project, context: Context, maker: Maker) -> tuple[str | None, Place | None]:
    given = next((k.value for k in maker.call.keywords if k.arg == "strategy"), None)
    if given is None:
        return (None if spreads(maker.call) else BY_DDP), None
    at = project.place(maker.function.partition("::")[0], given)
    settings = Settings(project, context if context.entry else None)
    origins = settings.origins(given, maker.function)
    objects = [o.expr for o in origins if isinstance(o.expr, ast.Call) and bare_name(o.expr.func) in CLASSES]
    if origins and len(objects) == len(origins):
        return _one(objects, _of_object), at
    return _one([s.value for s in settings.of(given, maker.function)], _of_name), at


def _one(values: Sequence[Any], kind: Callable[[Any], str | None]) -> str | None:
    kinds = {kind(value) for value in values}
    return kinds.pop() if len(kinds) == 1 else None


def _of_object(call: ast.Call) -> str:
    return "" if any(k.arg == SPAWNING for k in call.keywords) else CLASSES[bare_name(call.func)]


def _of_name(value: Any) -> str | None:
    if value is None:
        return BY_DDP
    named = value if isinstance(value, str) else ""
    return next((kind for name, kind in NAMES if named.startswith(name)), None)
