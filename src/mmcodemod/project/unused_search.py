"""Runs under DDP that search for parameters without a gradient (`find_unused_parameters`), and the line that
makes them. Must-analysis: a switch that does not show is no search.

Source: `torch.nn.parallel.DistributedDataParallel`, `accelerate.DistributedDataParallelKwargs`; the Trainer
(`_wrap_model` of transformers 4.28 to 5.5) searches where `ddp_find_unused_parameters` says so, and where it
says nothing and the model is no PreTrainedModel, as one of peft. A model of peft inside a PreTrainedModel
leaves that one what it is: there the Trainer searches only where no part of it checkpoints.
"""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.trainer_options import trainer_option

FLAG, STATIC_FLAG = "ddp_find_unused_parameters", "ddp_static_graph"
WRAPPER = "DistributedDataParallel"
_KEYWORD, _STATIC = "find_unused_parameters", "static_graph"
_NAMES = (WRAPPER, "DistributedDataParallelKwargs")
_PEFT = ("peft.get_peft_model", "peft.mapping.get_peft_model")


@frozen()
class Wrapped:
    """A call in `function` that is given `find_unused_parameters`; `name` is what it calls."""

    name: str
    function: str
    call: ast.Call


def wrapped(project: Project) -> list[Wrapped]:
    """Those of training code, in source order. Use through `project.get(wrapped)`."""
    found = {
        (frame.function, outside.site.lineno, outside.site.col_offset): outside
        for frame, calls in project.graph.external.items()
        for outside in calls
        if outside.name.rpartition(".")[2] in _NAMES
        if not is_stub(frame.function) and any(k.arg == _KEYWORD for k in outside.site.keywords)
    }
    return [Wrapped(found[k].name.rpartition(".")[2], k[0], found[k].call) for k in sorted(found)]


def searches(project: Project, context: Context, made: Wrapped) -> Answer | None:
    """Does a wrapped model search in a run? None where the switch does not show at all."""
    settings = Settings(project, context if context.entry else None)
    keywords = {k.arg: k.value for k in made.call.keywords}
    at = project.place(made.function.partition("::")[0], made.call)
    if _STATIC in keywords and True in {s.value for s in settings.of(keywords[_STATIC], made.function)}:
        return Excluded(Note(at, "the graph is static: DDP learns it in the first step"))
    values = {s.value for s in settings.of(keywords[_KEYWORD], made.function)}
    if values == {True}:
        return Fatal()
    switch = unparse(keywords[_KEYWORD])
    if values == {UNKNOWN}:
        return None
    if True in values or UNKNOWN in values:
        return Unclear(f"whether `{switch}` is true", plausible=False)
    return Excluded(Note(at, f"`{switch}` is false: DDP does not search"))


def trainer_searches(project: Project, context: Context) -> Answer | None:
    """Does the Trainer let DDP search in a run that checkpoints? None where it does not by itself."""
    static = trainer_option(project, context, STATIC_FLAG)
    if static.value is True and static.at:
        return Excluded(Note(static.at, "the graph is static: DDP learns it in the first step"))
    asked = trainer_option(project, context, FLAG)
    if asked.value is False and asked.at:
        return Excluded(Note(asked.at, f"{FLAG} is false: DDP does not search"))
    if asked.value is True:
        return Fatal(Note(asked.at, f"{FLAG} is true") if asked.at else None)
    return None if asked.value is UNKNOWN else _adapted(project, context)


def _adapted(project: Project, context: Context) -> Answer | None:
    """A run that trains a model of peft."""
    reach = project.reach(context.entry) if context.entry else None
    for frame, calls in project.graph.external.items():
        for outside in calls:
            if outside.name in _PEFT and not is_stub(frame.function):
                if _is_part(project, frame.function, outside.call):
                    continue
                if reach is None or frame.function in reach:
                    answer = comes_by(project, context, frame.function, outside.call)
                    at = project.place(frame.function.partition("::")[0], outside.site)
                    note = Note(at, "the model is one of peft, and for such the Trainer lets DDP search")
                    if isinstance(answer, Unclear):
                        return Unclear(answer.fact, plausible=False)
                    return Fatal(note) if isinstance(answer, Fatal) else answer
    return None


def _is_part(project: Project, function: str, call: ast.Call) -> bool:
    """Does the model become an attribute of another: `self.tower = get_peft_model(self.tower, config)`?"""
    statement = flow_of(project, function).statement_of(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(target, ast.Attribute) for target in targets)
