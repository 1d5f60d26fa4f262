"""Runs under DDP that need a gradient of every parameter in each step: DDP does not search for those that
went unused. Must-analysis: Fatal only where what wraps the model shows, and does not search.

Source: `torch.nn.parallel.DistributedDataParallel` (`find_unused_parameters` is false by default), accelerate
`prepare_model`, and the Trainer, which lets DDP search unless the model checkpoints (read in 4.49.0, 5.23.0).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.option import MISSING, UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project import checkpointing
from mmcodemod.project.answers import both
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.ds_arguments import trainer_runs
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.trainer_options import trainer_option
from mmcodemod.project.unused_search import FLAG, STATIC_FLAG

DDP = "torch.nn.parallel.DistributedDataParallel"
_NAMES = (DDP, "torch.nn.parallel.distributed.DistributedDataParallel")
_PREPARES = ("accelerate.Accelerator", "accelerate.accelerator.Accelerator")
_KWARGS = ("accelerate.DistributedDataParallelKwargs", "accelerate.utils.DistributedDataParallelKwargs")
_PEFT = ("peft.get_peft_model", "peft.mapping.get_peft_model")
KEY, STATIC, HANDLERS = "find_unused_parameters", "static_graph", "kwargs_handlers"

Outside = tuple[str, ast.Call]  # function and call


def wrapping_calls(project: Project) -> dict[str, list[Outside]]:
    """The calls of training code that wrap models, or say how, by dotted name, in source order. Use through
    `project.get(wrapping_calls)`."""
    wanted = {*_NAMES, *_PREPARES, *_KWARGS, *_PEFT}
    found: dict[str, dict[tuple[str, int, int], ast.Call]] = {}
    for frame, calls in project.graph.external.items():
        for outside in calls:
            if outside.name in wanted and not is_stub(frame.function):
                at = (frame.function, outside.site.lineno, outside.site.col_offset)
                found.setdefault(outside.name, {})[at] = outside.call
    return {name: [(at[0], calls[at]) for at in sorted(calls)] for name, calls in found.items()}


def needs_every(project: Project, context: Context) -> Answer:
    """Does DDP wait for a gradient of every parameter in a run?"""
    static = _static(project, context)
    if static is not None:
        return Unclear(f"what DDP makes of its static graph ({static})", plausible=False)
    if trainer_runs(project, context):
        return _by_trainer(project, context)
    wrapped = by_hand(project, context)
    if wrapped:
        return _of_all(project, context, wrapped)
    if _reached(project, context, _PREPARES):
        return _by_accelerate(project, context)
    return Unclear("how DDP is told to treat unused parameters", plausible=False)


def by_hand(project: Project, context: Context) -> list[Outside]:
    """Where a run may wrap a model itself."""
    return _reached(project, context, _NAMES)


def prepares(project: Project, context: Context) -> Place | None:
    """Where a run may make an Accelerator."""
    made = _reached(project, context, _PREPARES)
    return project.place(made[0][0].partition("::")[0], made[0][1]) if made else None


def _static(project: Project, context: Context) -> Place | None:
    for facts in project.mentioning("_set_static_graph"):
        for call in project.calls_of(facts.id, ("_set_static_graph",)):
            if context.entry is None or facts.id in project.reach(context.entry):
                return project.place(facts.path, call)
    return None


def _reached(project: Project, context: Context, names: tuple[str, ...]) -> list[Outside]:
    """The calls that a run comes by, or may."""
    found = [o for name in names for o in project.get(wrapping_calls).get(name, [])]
    reach = project.reach(context.entry) if context.entry else None
    inside = [o for o in found if reach is None or o[0] in reach]
    return [o for o in inside if not isinstance(comes_by(project, context, *o), Excluded)]


def _of_all(project: Project, context: Context, calls: list[Outside]) -> Answer:
    """Of several wrappers each must wait: which one wraps the module does not show."""
    answers = [_of_call(project, context, function, call) for function, call in calls]
    safe = next((a for a in answers if isinstance(a, Excluded)), None)
    if safe is None:
        answer, first = answers[0], answers[0]
        for other in answers[1:]:
            answer = both(answer, other)
        return first if isinstance(answer, Fatal) else answer
    if all(isinstance(a, Excluded) for a in answers):
        return safe
    return Unclear("which of several wrappers holds the module", plausible=False)


def _of_call(project: Project, context: Context, function: str, call: ast.Call) -> Answer:
    """`DistributedDataParallel(model, ...)`, or the keywords that accelerate hands on."""
    at = project.place(function.partition("::")[0], call)
    given = {k.arg: k.value for k in (*_prepared(project, function, call), *call.keywords)}
    settings = Settings(project, context if context.entry else None)
    if None in given or any(isinstance(a, ast.Starred) for a in call.args):
        return Unclear(f"{KEY}, which {at} may be given", plausible=False)
    for key, note in ((KEY, "DDP searches for unused parameters"), (STATIC, "the graph of DDP is static")):
        if key not in given:
            continue
        values = {s.value for s in settings.of(given[key], function)}
        if values == {True}:
            return Excluded(Note(at, note))
        if not values or not values <= {False, None}:
            return Unclear(f"whether `{unparse(given[key])}` is true", plausible=False)
    return Fatal(Note(at, "DDP waits for a gradient of every parameter here"))


def _prepared(project: Project, function: str, call: ast.Call) -> list[ast.keyword]:
    """The keywords of `wrap = partial(DistributedDataParallel, ...)` for `wrap(model)`."""
    if not isinstance(call.func, ast.Name):
        return []
    scopes = (project.index.function(f) for f in (function, f"{function.partition('::')[0]}::<module>"))
    binds = [n for scope in scopes for n in own_nodes(scope.node) if isinstance(n, ast.Assign)]
    made = [n.value for n in binds if unparse(n.targets[0]) == call.func.id]
    partial = made[0] if len(made) == 1 and isinstance(made[0], ast.Call) else None
    named = partial is not None and unparse(partial.func).rpartition(".")[2] == "partial"
    return partial.keywords if partial is not None and named else []


def _by_accelerate(project: Project, context: Context) -> Answer:
    told = _reached(project, context, _KWARGS)
    if told:
        return _of_all(project, context, told)
    made = _reached(project, context, _PREPARES)
    if any(k.arg in (HANDLERS, None) for _, call in made for k in call.keywords):
        return Unclear(f"what {HANDLERS} say about unused parameters", plausible=False)
    at = project.place(made[0][0].partition("::")[0], made[0][1])
    return Fatal(Note(at, "nothing tells accelerate to let DDP search for unused parameters"))


def _by_trainer(project: Project, context: Context) -> Answer:
    """The Trainer: what its arguments say, else whether the model checkpoints."""
    static = trainer_option(project, context, STATIC_FLAG)
    asked = trainer_option(project, context, FLAG)
    if static.value not in (MISSING, None, False):
        return Unclear(f"what DDP makes of {STATIC_FLAG}", plausible=False)
    if asked.value is False and asked.at is not None:
        return Fatal(Note(asked.at, f"{FLAG} is false"))
    if asked.value is True and asked.at is not None:
        return Excluded(Note(asked.at, f"{FLAG} is true"))
    if asked.value is UNKNOWN:
        return Unclear(FLAG, plausible=False)
    adapted = next(iter(_reached(project, context, _PEFT)), None)
    if adapted is not None:
        at = project.place(adapted[0].partition("::")[0], adapted[1])
        return Excluded(Note(at, "for a model of peft the Trainer lets DDP search"))
    return _by_checkpointing(project, context)


def _by_checkpointing(project: Project, context: Context) -> Answer:
    on = trainer_option(project, context, checkpointing.ON)
    if on.value is True and on.at is not None:
        return Fatal(
            Note(on.at, "a model that checkpoints, for which the Trainer lets DDP search for nothing")
        )
    if on.value is UNKNOWN or next(_switches(project, context), None) is not None:
        return Unclear("whether the model checkpoints", plausible=False)
    launch = on.at or context.begins or Place("", 1)
    return Excluded(Note(launch, "the Trainer lets DDP search, since nothing checkpoints"))


def _switches(project: Project, context: Context) -> Iterator[str]:
    """Code that makes a model checkpoint."""
    for facts in project.mentioning(checkpointing.ENABLE):
        if context.entry is None or facts.id in project.reach(context.entry):
            yield from (facts.id for _ in project.calls_of(facts.id, (checkpointing.ENABLE,)))
