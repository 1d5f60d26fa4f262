"""Calls that write what a `state_dict()` of the trained model holds on this rank, and nothing gathered, or a
dictionary of its `named_parameters()`.
May-analysis: a dictionary that goes through a function of the tree is not followed, for it may gather."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.frozen import frozen
from mmcodemod.project.arguments import given_at
from mmcodemod.project.hf_loads import trained_models
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import MODELS, is_stub
from mmcodemod.project.values import Bound, Instance

_FILES = ("torch.save", "safetensors.torch.save_file", "accelerate.save", "accelerate.utils.save")
_SINKS = ("save", "save_file", "save_pretrained", "_save")
_ENGINE = f"{MODELS}/deepspeed.py::DeepSpeedEngine"
# Words of models that are held beside the one that trains: equal calls may have made both.
_BESIDE = ("ema", "teacher", "ref", "reward", "old", "target", "base", "vae", "merged")
# `accelerator.prepare` gets other things, too, which have a `state_dict()` without parameters.
_NO_MODELS = ("optim", "sched", "scaler", "sampler", "loader", "dataset")
# What changes tensors or dictionaries one by one, and gathers nothing.
_PLAIN = (
    "items",
    "values",
    "cpu",
    "detach",
    "clone",
    "to",
    "half",
    "float",
    "bfloat16",
    "contiguous",
    "copy",
)
_READS = ("state_dict", "named_parameters")
# Where each takes its dictionary (Transformers 4.37 to 5.3: modeling_utils.py, trainer.py).
_STATE = {"save_pretrained": 2, "_save": 1}
_KINDS = ("dict", "OrderedDict", "deepcopy")
MAX_STEPS = 4

Found = tuple[ast.expr, ast.Call | None]  # the model, and its `state_dict()`


@frozen()
class WeightSave:
    """`call` writes the weights of `model`; `read` reads them, None where the call itself does; `others` are
    further calls that write what was read there."""

    function: str
    call: ast.Call
    model: ast.expr
    read: ast.Call | None = None
    others: tuple[ast.Call, ...] = ()


def weight_saves(project: Project) -> list[WeightSave]:
    """All of the tree's training code, in source order, one for each reading of the weights. Use through
    `project.get(weight_saves)`."""
    first: dict[ast.Call, WeightSave] = {}
    for save in _saves(project):
        cause = save.read or save.call
        known = first.get(cause)
        first[cause] = replace(known, others=(*known.others, save.call)) if known else save
    return list(first.values())


def _saves(project: Project) -> list[WeightSave]:
    return [
        WeightSave(facts.id, call, *found)
        for facts in project.mentioning(*_READS, "save_pretrained")
        if facts.id in project.trained and not is_stub(facts.id)
        for call in project.calls_of(facts.id, _SINKS)
        if (found := _written(project, facts, call)) is not None
    ]


def _written(project: Project, facts: FunctionFacts, call: ast.Call) -> Found | None:
    """The model whose own weights a call writes, and the `state_dict()` that it was given."""
    word = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if word in _STATE:
        given = given_at(call, _STATE[word], "state_dict")
        if given is not None:
            return _derived(project, facts, given, 0)
        if word == "_save" or any(k.arg is None for k in call.keywords) or _own(project, facts, call):
            return None
        assert isinstance(call.func, ast.Attribute)
        return (call.func.value, None) if _is_trained(project, facts, call.func.value) else None
    if not call.args or not _writes(project, facts, call):
        return None
    return _derived(project, facts, call.args[0], 0)


def _own(project: Project, facts: FunctionFacts, call: ast.Call) -> bool:
    """Does it run a method of the tree, which is judged by what it does?"""
    found = project.values(call.func, facts.id)
    return any(isinstance(value, Bound) and not is_stub(value.function) for value in found)


def _writes(project: Project, facts: FunctionFacts, call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "accelerator":
        return True
    return bool(project.names(call.func, facts.id) & set(_FILES))


def _derived(project: Project, facts: FunctionFacts, expr: ast.expr, steps: int) -> Found | None:
    """The `state_dict()` of the trained model that an expression holds as it is."""
    for node in _as_it_is(expr):
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Attribute)
            if _is_trained(project, facts, node.func.value):
                return node.func.value, node
        elif steps < MAX_STEPS:
            for source in project.resolver.body(facts.id).names.get(node.id, ()):
                found = _derived(project, facts, source.expr, steps + 1) if source.expr is not expr else None
                if found is not None:
                    return found
    return None


def _as_it_is(expr: ast.AST) -> Iterator[ast.Call | ast.Name]:
    """The calls that read weights and the names whose tensors an expression hands on, one by one."""
    if isinstance(expr, ast.Name):
        yield expr
    elif isinstance(expr, ast.Call):
        word = expr.func.attr if isinstance(expr.func, ast.Attribute) else getattr(expr.func, "id", "")
        if word in _READS and isinstance(expr.func, ast.Attribute):
            yield expr
        elif word in _PLAIN and isinstance(expr.func, ast.Attribute):
            yield from _as_it_is(expr.func.value)
        elif word in _KINDS:
            yield from (n for arg in expr.args for n in _as_it_is(arg))
    elif isinstance(expr, ast.Dict):
        yield from (n for value in expr.values for n in _as_it_is(value))
    elif isinstance(expr, ast.DictComp) and _is_plain(expr.value):
        yield from (n for each in expr.generators for n in _as_it_is(each.iter))


def _is_plain(value: ast.expr) -> bool:
    """Is a tensor handed on as it is? `v`, `v.cpu()`, `v.detach().clone()`"""
    return any(isinstance(n, ast.Name) for n in _as_it_is(value))


def _is_trained(project: Project, facts: FunctionFacts, model: ast.expr) -> bool:
    text = unparse(model).lower()
    if set(_BESIDE) & set(text.replace(".", "_").split("_")) or any(word in text for word in _NO_MODELS):
        return False
    values = project.values(model, facts.id)
    engines = any(isinstance(v, Instance) and v.cls.startswith(_ENGINE) for v in values)
    return engines or bool(values & project.get(trained_models))
