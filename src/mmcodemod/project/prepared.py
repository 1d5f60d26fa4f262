"""Has a run handed its model to what trains it? A Trainer that is made, `accelerator.prepare`, or
`deepspeed.initialize`, before a call."""

from __future__ import annotations

import ast
from functools import partial

from mmcodemod.facts.terms import Call
from mmcodemod.model.context import Context, Entry
from mmcodemod.project.infer import Frame
from mmcodemod.project.library import library_name
from mmcodemod.project.model import Project
from mmcodemod.project.order import Order
from mmcodemod.project.passes import Events, Lasts, State
from mmcodemod.project.reach import roots
from mmcodemod.project.stubs import MODELS, is_stub
from mmcodemod.project.values import ClassRef, Value

_TAKERS = ("deepspeed.initialize", ".prepare", ".prepare_model")
_TRAINER = f"{MODELS}/transformers.py::Trainer.train"


def prepared_before(project: Project, context: Context, function: str, call: ast.Call) -> State | None:
    """On how many of the paths to `call` it has; None when no path is known. Must-analysis."""
    if context.entry is None:
        return None
    return _order(project, context.entry).before(function, call)


def _order(project: Project, entry: Entry) -> Order:
    known, events = project.get(_orders)
    if entry not in known:
        known[entry] = Order(project, [roots(project.index, entry)], partial(_takes, project), events)
    return known[entry]


def _orders(project: Project) -> tuple[dict[Entry, Order], dict[Frame, Events]]:
    return {}, {}


def _takes(project: Project, call: Call, frame: Frame) -> Lasts | None:
    """Does this call of the tree get the model that trains?"""
    if is_stub(frame.function):
        return None
    found = any(_is_taker(project, value) for value in project.solver.infer(call.func, frame))
    return Lasts.RUN if found else None


def _is_taker(project: Project, value: Value) -> bool:
    if isinstance(value, ClassRef):
        return project.resolver.classes.find(value.cls, "train") == _TRAINER
    return library_name(project.index.modules, value).endswith(_TAKERS)
