"""Methods of models that training calls on models which `from_pretrained` has made, and on no others.
Must-analysis: callers that do not show are library code, which runs `forward` and hooks alone."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.model import Project
from mmcodemod.project.model_parts import ModelParts
from mmcodemod.project.partition import is_loaded

# What torch and transformers call while they build a module or run it.
_CALLED_BY_LIBRARIES = (
    "forward",
    "generate",
    "_init_weights",
    "init_weights",
    "post_init",
    "reset_parameters",
)
MAX_DEPTH = 3


def runs_on_loaded(project: Project, facts: FunctionFacts, depth: int = 0) -> bool:
    """Is `self` a loaded model, or a part of one, wherever training calls the method?"""
    if facts.name.startswith("__") or facts.name in _CALLED_BY_LIBRARIES or depth > MAX_DEPTH:
        return False
    edges = [e for e in project.callers(facts.id) if e.caller.function in project.trained]
    return bool(edges) and all(_calls_on_loaded(project, edge, depth) for edge in edges)


def _calls_on_loaded(project: Project, edge: Edge, depth: int) -> bool:
    func = edge.call.func if edge.site is not None else None
    if not isinstance(func, ast.Attribute):
        return False
    caller = project.index.function(edge.caller.function)
    if caller.owner and project.is_module(f"{caller.path}::{caller.owner}"):
        on_self = isinstance(func.value, ast.Name) and func.value.id == caller.parameters.first
        return on_self and runs_on_loaded(project, caller, depth + 1)
    parts = ModelParts(project, caller.id, lambda expr: is_loaded(project, expr, caller.id))
    return parts.owner(func.value) is not None
