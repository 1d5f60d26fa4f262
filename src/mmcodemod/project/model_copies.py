"""Copies of models that ZeRO-3 may hold in shards: `copy.deepcopy`, and libraries that keep an average of the
weights. Must-analysis of which model is copied."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import last_name
from mmcodemod.knowledge.wrappers import ENGINE, PREPARED
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project
from mmcodemod.project.partition import is_loaded
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.wrapping import wrapped

# The library callable, and whether it copies a module that it is given (else a list of parameters).
_COPIES = {
    "copy.deepcopy": True,
    "torch.optim.swa_utils.AveragedModel": True,
    "timm.utils.ModelEma": True,
    "timm.utils.ModelEmaV2": True,
    "timm.utils.ModelEmaV3": True,
    "ema_pytorch.EMA": True,
    "diffusers.training_utils.EMAModel": False,
}
_WORDS = tuple(sorted({name.rpartition(".")[2] for name in _COPIES}))


@frozen()
class ModelCopy:
    """`call` copies the parameters of `model`; `loaded` when `from_pretrained` has made all it may be."""

    function: str
    call: ast.Call
    model: ast.expr
    loaded: bool


def model_copies(project: Project) -> list[ModelCopy]:
    """Those of training code, in source order. Use through `project.get(model_copies)`."""
    return [
        found
        for facts in project.mentioning(*_WORDS)
        if facts.id in project.trained and not is_stub(facts.id)
        if not (facts.owner and project.is_module(f"{facts.path}::{facts.owner}"))
        for found in _of(project, facts)
    ]


def _of(project: Project, facts: FunctionFacts) -> Iterator[ModelCopy]:
    for site in facts.body.calls:
        if last_name(site) in _WORDS and (site.args or site.keywords):
            known = sorted(project.names(site.func, facts.id) & set(_COPIES))
            if not known:
                continue
            call = node_of(site)
            model = _copied(call, _COPIES[known[0]])
            if model is not None:
                loaded = is_loaded(project, model, facts.id)
                if loaded or _is_held(project, facts.id, model):
                    yield ModelCopy(facts.id, call, model, loaded)


def _copied(call: ast.Call, whole: bool) -> ast.expr | None:
    """The model among the arguments; None where something else is copied."""
    given = [*call.args, *(k.value for k in call.keywords if k.arg in ("model", "parameters"))]
    if not given or whole:
        return given[0] if given else None
    listed = given[0]
    if isinstance(listed, ast.Call) and isinstance(listed.func, ast.Attribute):
        return listed.func.value if listed.func.attr == "parameters" else None
    return None


def _is_held(project: Project, function: str, model: ast.expr) -> bool:
    """Does an engine hold it: did DeepSpeed or accelerate give it back?"""
    wrap = wrapped(project, model, function)
    return wrap is not None and not wrap.mixed and wrap.by in (ENGINE, PREPARED)
