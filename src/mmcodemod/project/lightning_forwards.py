"""Which calls run a module of Lightning, or a part of one that holds parameters: the Trainer's strategy
shards all of them. May-analysis by what is known of the object."""

from __future__ import annotations

import ast

from mmcodemod.knowledge.layers import has_parameters
from mmcodemod.knowledge.modules import makes_module
from mmcodemod.knowledge.wrappers import LIGHTNING
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.values import Instance, Made, Value
from mmcodemod.project.wrapping import Wrap

_MADE = f"{MODELS}/lightning.py::Trainer.__init__"
_BASES = frozenset(("lightning.LightningModule", "pytorch_lightning.LightningModule"))
_PARAMETERS = ("torch.nn.Parameter", "torch.nn.parameter.Parameter")
_LOADED = ".from_pretrained"
MAX_DEPTH = 4


def has_trainer(project: Project) -> bool:
    """Does the tree make a Trainer of Lightning?"""
    return bool(project.callers(_MADE))


def lightning_wrap(project: Project, model: ast.expr, function: str) -> Wrap | None:
    """What says that a Trainer of Lightning trains the model that `model` holds; None for another object."""
    if not has_trainer(project) or not _is_part(project, model, function):
        return None
    at = project.place(function.partition("::")[0], model)
    return Wrap(LIGHTNING, Origin(model, function), at)


def _is_part(project: Project, model: ast.expr, function: str) -> bool:
    """Is it a module of Lightning, or an attribute of one, with parameters?"""
    held = project.values(model, function)
    if isinstance(model, ast.Attribute):
        owners = project.values(model.value, function)
        own = bool(owners) and all(_is_lightning(project, value) for value in owners)
        return own and bool(held) and all(_keeps(project, value) for value in held)
    found = isinstance(model, ast.Name) and bool(held)
    return found and all(_is_lightning(project, v) and _keeps(project, v) for v in held)


def _is_lightning(project: Project, value: Value) -> bool:
    if not isinstance(value, Instance):
        return False
    return not _BASES.isdisjoint(project.resolver.classes.external_bases(value.cls))


def _keeps(project: Project, value: Value, depth: int = 0) -> bool:
    """Does an object hold parameters, by the layers that it makes?"""
    if isinstance(value, Made):
        return makes_module(value.by) and has_parameters(value.by)
    if not isinstance(value, Instance) or depth > MAX_DEPTH:
        return False
    if value.cls.startswith(MODELS) or not project.is_module(value.cls):
        return False
    init = project.resolver.classes.find(value.cls, "__init__")
    return init is not None and not init.startswith(MODELS) and _makes(project, init, depth)


def _makes(project: Project, init: str, depth: int) -> bool:
    """Does a function make a layer with parameters, or load one?"""
    for call in project.resolver.body(init).calls:
        names = project.names(call.func, init)
        if any(n in _PARAMETERS or n.endswith(_LOADED) or _is_layer(n) for n in names):
            return True
        if any(_keeps(project, value, depth + 1) for value in project.values(call, init)):
            return True
    return False


def _is_layer(name: str) -> bool:
    return name.startswith("torch.nn.") and makes_module(name) and has_parameters(name)
