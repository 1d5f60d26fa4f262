"""Runs that make a DeepSpeed engine and train nothing. Must-analysis: no engine is given an optimizer, by the
code or by the configuration; no code of the run goes backward or steps; and some line evaluates."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.outline import MODULE
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.project.ds_initialize import Initialized, in_run
from mmcodemod.project.model import Project
from mmcodemod.project.reach import Reach
from mmcodemod.project.stubs import is_stub

_OPTIMIZER = "deepspeed.optimizer."
_TRAINS = ("backward", "step", "train_batch", "fit")
_TRAINERS = ("Trainer",)
_NAMES = (ast.Name, ast.Attribute)
_EVALUATES = ("eval", "generate", "inference_mode", "no_grad")


def only_generates(project: Project, context: Context) -> Note | None:
    """The line by which a launched run evaluates or generates with an engine that it never steps."""
    if context.origin is not Origin.LAUNCHED or context.entry is None or context.entry.library:
        return None
    if any(f"{name}.".startswith(_OPTIMIZER) for name in context.options):
        return None
    engines = in_run(project, context)
    if not engines or any(_steps_by(engine) for engine in engines):
        return None
    reach = project.reach(context.entry)
    if _trains(project, reach, context.entry.path):
        return None
    at = _evaluates(project, reach, {engine.function.partition("::")[0] for engine in engines})
    return Note(at, "the engine has no optimizer, and this run only evaluates with it") if at else None


def _steps_by(engine: Initialized) -> bool:
    """May a call give its engine an optimizer?"""
    given = engine.optimizer
    absent = given is None or (isinstance(given, ast.Constant) and given.value is None)
    return engine.spreads or not absent


def _trains(project: Project, reach: Reach, entry: str) -> bool:
    """Does code of the run, or of the launched file, make a step, or name a class that does? A file that is
    imported, and whose functions that name one do not run, may do so."""
    near = (f for f in project.mentioning(*_TRAINS, *_TRAINERS) if f.id in reach or f.path == entry)
    own = [f for f in near if not is_stub(f.id)]
    if any(project.calls_of(f.id, _TRAINS) for f in own):
        return True
    return any(_names_trainer(project, f) for f in own if f.path == entry or f.qualname != MODULE)


def _names_trainer(project: Project, facts: FunctionFacts) -> bool:
    nodes = (node for node in own_nodes(facts.node) if isinstance(node, _NAMES))
    return any((node.id if isinstance(node, ast.Name) else node.attr).endswith(_TRAINERS) for node in nodes)


def _evaluates(project: Project, reach: Reach, files: set[str]) -> Place | None:
    """The first line of the files that make the engine by which it evaluates or generates."""
    found = (
        project.place(facts.path, call)
        for facts in project.mentioning(*_EVALUATES)
        if facts.id in reach and facts.path in files
        for call in project.calls_of(facts.id, _EVALUATES)
    )
    return min(found, default=None)
