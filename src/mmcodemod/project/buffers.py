"""Does a model hold buffers, which DDP broadcasts from the main rank in every forward? Must-analysis of the
tree's modules: layers of libraries count where they are known to hold some.

Run: torch 2.13, two gloo ranks, DDP of two Linear layers; a forward on the main rank alone does no harm, with
gradients or without, and with one `register_buffer` the next step fails on every rank.
"""

from __future__ import annotations

import ast

from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.flow import flow_of
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.values import Instance, Values, ordered

_LAYERS = regex(r"torch\.nn\.(SyncBatchNorm|(Lazy)?BatchNorm[123]d)")
MAX_CLASSES = 60


def buffers(project: Project, model: Values) -> Place | None:
    """The line that gives the model a buffer, whatever its settings are; None where none shows."""
    seen: set[str] = set()
    for value in ordered(model):
        if isinstance(value, Instance):
            found = _of_class(project, value.cls, seen)
            if found is not None:
                return found
    return None


def _of_class(project: Project, cls: str, seen: set[str]) -> Place | None:
    if cls in seen or len(seen) > MAX_CLASSES:
        return None
    seen.add(cls)
    for facts in project.resolver.classes.own(cls):
        init = facts.methods.get("__init__")
        if init and not facts.path.startswith("<"):
            found = _of_method(project, f"{facts.path}::{init}", cls, seen)
            if found is not None:
                return found
    return None


def _of_method(project: Project, function: str, cls: str, seen: set[str]) -> Place | None:
    frame, inner, flow = Frame(function, cls), list[Instance](), flow_of(project, function)
    for call in project.resolver.body(function).calls:
        if any(True for _ in flow.tests(call)):
            continue
        names = project.names(call.func, function)
        registers = isinstance(call.func, ast.Attribute) and call.func.attr == "register_buffer"
        if registers or any(map(_LAYERS.fullmatch, names)):
            return project.place(function.partition("::")[0], call)
        made = project.resolver.infer(call, frame)
        inner += [v for v in ordered(made) if isinstance(v, Instance) and project.is_module(v.cls)]
    return next((p for v in inner if (p := _of_class(project, v.cls, seen)) is not None), None)
