"""Runs that checkpoint activations in the reentrant way, and the line that makes them. Must-analysis: Fatal
only where it shows that checkpointing is on and reentrant.

Source: `torch.utils.checkpoint.checkpoint` (reentrant where `use_reentrant` is not given, up to torch 2.13),
`PreTrainedModel.gradient_checkpointing_enable` (so by default before transformers 5.0.0).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge import transformers_gates
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project import checkpoint_told, checkpointing, versions
from mmcodemod.project.answers import both
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.ds_arguments import trainer_runs
from mmcodemod.project.flow import flow_of, holds
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.trainer_options import trainer_option

CHANGED = transformers_gates.NON_REENTRANT
_CALLS = ("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential")


@frozen()
class Reentrant:
    """`answer`: does the run checkpoint so; `call` in `function` does, None for the Trainer's switch."""

    answer: Answer
    function: str = ""
    call: ast.Call | None = None


def reentrant(project: Project, context: Context) -> list[Reentrant]:
    """All that checkpoints in a run, the surest first."""
    return project.judging.once(context, project, "reentrant", lambda run: _every(project, run))


def _every(project: Project, context: Context) -> list[Reentrant]:
    found = [*_by_trainer(project, context), *_by_model(project, context), *_by_torch(project, context)]
    return sorted(found, key=lambda r: _rank(r.answer))


def _rank(answer: Answer) -> int:
    return 2 if isinstance(answer, Excluded) else int(isinstance(answer, Unclear))


def _reached(project: Project, context: Context, function: str) -> bool:
    return context.entry is None or function in project.reach(context.entry)


def _by_trainer(project: Project, context: Context) -> Iterator[Reentrant]:
    """The Trainer's own switch."""
    if not trainer_runs(project, context):
        return
    on = trainer_option(project, context, checkpointing.ON)
    if on.value is not True or on.at is None:
        return
    said = checkpointing.in_launch(context)
    if said is not None and said[0].at is not None:
        yield Reentrant(_told(said[0].at, said[1]))
        return
    written = [w for w in project.get(checkpointing.written) if _reached(project, context, w.function)]
    for found in written:
        value = checkpointing.reentrant(project, context, found)
        at = project.place(found.function.partition("::")[0], found.value)
        yield Reentrant(_told(at, value) if value is not None else Unclear("use_reentrant", plausible=False))
    if not written:
        yield Reentrant(_default(context, on.at))


def _told(at: Place, value: bool) -> Answer:
    if value:
        return Fatal(Note(at, "reentrant checkpointing is asked for"))
    return Excluded(Note(at, "checkpointing is not reentrant"))


def _default(context: Context, at: Place) -> Answer:
    """What transformers does when it is told nothing."""
    old = versions.below(context, "transformers", CHANGED)
    if old is None:
        return Unclear(f"the transformers version: reentrant by default before {CHANGED}", plausible=False)
    pin = versions.pinned(context, "transformers", f", {CHANGED} or later: not reentrant by default")
    if not old:
        return Excluded(pin or Note(at, "checkpointing is not reentrant"))
    return Fatal(Note(at, f"checkpointing, reentrant by default in transformers before {CHANGED}"))


def _by_model(project: Project, context: Context) -> Iterator[Reentrant]:
    """`model.gradient_checkpointing_enable(...)`"""
    for function, call in project.get(checkpointing.enabling):
        if _reached(project, context, function):
            at = project.place(function.partition("::")[0], call)
            told = _default(context, at)
            yield Reentrant(_comes(project, context, function, call, told), function, call)
    for found in project.get(checkpointing.written):
        if found.taker is checkpointing.Taker.MODEL and _reached(project, context, found.function):
            value = checkpointing.reentrant(project, context, found)
            at = project.place(found.function.partition("::")[0], found.value)
            told = _told(at, value) if value is not None else Unclear("use_reentrant", plausible=False)
            yield Reentrant(_comes(project, context, found.function, found.value, told))


def _by_torch(project: Project, context: Context) -> Iterator[Reentrant]:
    """`checkpoint(layer, x)`"""
    for function, call in project.get(_calls):
        if _reached(project, context, function):
            values = _values(project, context, function, call)
            at = project.place(function.partition("::")[0], call)
            if values == {True} or values == {False}:
                answer = _comes(project, context, function, call, _told(at, True in values))
                yield Reentrant(answer, function, call)


def _values(project: Project, context: Context, function: str, call: ast.Call) -> set[object]:
    """What `use_reentrant` may be for a call; empty where it does not show."""
    reach = project.reach(context.entry) if context.entry else None
    given = checkpoint_told.told(project, reach, call, function)
    if given is None or given.value is None:
        return set() if given is None else {True}
    settings = Settings(project, context if context.entry else None)
    return {s.value for s in settings.of(given.value, given.function)}


def _comes(project: Project, context: Context, function: str, node: ast.expr, told: Answer) -> Answer:
    """What is told, where the run comes by. A switch of the model that does not show is too open for more
    than a note."""
    if isinstance(told, Excluded):
        return told
    statement = flow_of(project, function).statement_of(node)
    for part in walk(statement) if statement is not None else ():
        if isinstance(part, ast.IfExp) and any(holds(arm, node) for arm in (part.body, part.orelse)):
            return both(told, Unclear(f"`{unparse(part.test)}`", plausible=False))
    come = comes_by(project, context, function, node)
    return both(told, Unclear(come.fact, plausible=False) if isinstance(come, Unclear) else come)


def _calls(project: Project) -> list[tuple[str, ast.Call]]:
    """The calls, also through a variable that holds the function or a `partial` of it, in source order. Use
    through `project.get`."""
    found = {
        (frame.function, outside.site.lineno, outside.site.col_offset): outside
        for frame, calls in project.graph.external.items()
        for outside in calls
        if outside.name in _CALLS and not is_stub(frame.function)
    }
    return [(key[0], found[key].call) for key in sorted(found)]
