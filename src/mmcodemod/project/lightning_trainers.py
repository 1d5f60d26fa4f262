"""The calls that make the Trainer of Lightning on which a save is called, and what they give it: how many
devices, and which strategy. May-analysis: what does not show is open."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from mmcodemod.facts.definitions import bare_name
from mmcodemod.knowledge.lightning_saves import BY_DDP, CLASSES, NAMES, SPAWNING
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.arguments import spreads
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.divergence import Divergence
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import Letter
from mmcodemod.project.settings import Setting, Settings
from mmcodemod.project.several import one_process, several_ranks
from mmcodemod.project.stubs import MODELS, is_stub

_MADE = f"{MODELS}/lightning.py::Trainer.__init__"
_SAVE = f"{MODELS}/lightning.py::Trainer.save_checkpoint"
_DEVICES = ("devices", "gpus", "num_processes")
_OPEN = "how many devices Lightning's Trainer is given"


@frozen()
class Maker:
    """`call` in `function` makes a Trainer."""

    function: str
    call: ast.Call


def makers(project: Project, context: Context, found: Divergence, letter: Letter) -> list[Maker]:
    """The calls in reach of a run that make the Trainer of a save; all of them where that is open."""
    reach = project.reach(context.entry) if context.entry else None
    edges = [e for e in project.callers(_MADE) if e.site is not None and not is_stub(e.caller.function)]
    made = [e for e in edges if reach is None or e.caller.function in reach]
    objects = _objects(project, found, letter)
    own = [e for e in made if _stands(e) in objects]
    every = {(e.caller.function, e.line): Maker(e.caller.function, e.call) for e in own or made}
    return [every[key] for key in sorted(every)]


def _objects(project: Project, found: Divergence, letter: Letter) -> set[str]:
    """The places at which the objects are made that a save may be called on."""
    frame = letter.via[-1].callee if letter.via else found.frame
    edges = [e for e in project.graph.edges.get(frame, ()) if e.callee.function == _SAVE]
    here = [e for e in edges if letter.at is not None and e.line == letter.at.line]
    return {e.callee.receiver.partition("@")[2].partition("@")[0] for e in here}


def _stands(edge: Edge) -> str:
    path = edge.caller.function.partition("::")[0]
    return f"{path}:{edge.site.lineno}:{edge.site.col_offset}" if edge.site else ""


# -- devices ---------------------------------------------------------------------------------------------


def trainer_ranks(project: Project, context: Context, made: Sequence[Maker]) -> Answer:
    """Fatal where all these Trainers run several ranks, excluded where each runs one."""
    answers = [_ranks(project, context, maker) for maker in made]
    kinds = {answer.__class__ for answer in answers}
    return answers[0] if len(kinds) == 1 else Unclear(_OPEN)


def _ranks(project: Project, context: Context, maker: Maker) -> Answer:
    devices, at = _number(project, context, maker, _DEVICES)
    nodes, machines = _number(project, context, maker, ("num_nodes",))
    nodes = 1 if machines is None and not spreads(maker.call) else nodes
    if (devices or 0) > 1 or (nodes or 0) > 1:
        many = at if (devices or 0) > 1 else machines
        return Fatal(Note(many, "the Trainer runs on several devices") if many else None)
    if devices == 1 and nodes == 1 and at is not None:
        return Excluded(Note(at, "the Trainer runs on one device"))
    return _by_launch(project, context)


def _by_launch(project: Project, context: Context) -> Answer:
    """Where the Trainer takes the devices that it finds: a launcher of several ranks has several."""
    if context.launched_by == "python" or context.launcher is None:
        return Unclear(_OPEN)
    one = one_process(project, context)
    return Excluded(one) if one is not None else several_ranks(project, context)


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
