"""Where training code freezes a module, by the last name of what it is held as. May-analysis."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.place import Place
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project


@dataclass(frozen=True)
class Freeze:
    """`always`: no test decides."""

    module: str
    at: Place
    always: bool


_WHOLE = frozenset(("model", "self", "base_model", "module", "backbone", "net"))


def freezes(project: Project, modules: frozenset[str]) -> list[Freeze]:
    """The places of training code that freeze one of the modules, or may with the whole model."""
    return [f for f in project.get(_every) if f.module in modules | _WHOLE]


def _every(project: Project) -> list[Freeze]:
    return [
        Freeze(name, project.place(facts.path, node), not list(flow_of(project, facts.id).tests(node)))
        for facts in project.mentioning("requires_grad", "get_peft_model")
        if facts.id in project.trained
        for node in own_nodes(facts.node)
        if (name := _frozen(project, facts, node))
    ]


def _frozen(project: Project, facts: FunctionFacts, node: ast.AST) -> str:
    """`x` of `a.x.requires_grad_(False)` and of `for p in a.x.parameters(): p.requires_grad = False`; peft's
    adapters freeze the model."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("get_peft_model"):
        return "model"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        given = node.args[0] if node.args else None
        if node.func.attr == "requires_grad_" and isinstance(given, ast.Constant) and given.value is False:
            return _owner(project, facts, node) or _last(node.func.value)
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        off = isinstance(node.value, ast.Constant) and node.value.value is False
        if node.targets[0].attr == "requires_grad" and off:
            return _owner(project, facts, node)
    return ""


def _owner(project: Project, facts: FunctionFacts, node: ast.AST) -> str:
    for loop in flow_of(project, facts.id).loops(node):
        each = getattr(loop, "iter", None)
        method = each.func if isinstance(each, ast.Call) else None
        if isinstance(method, ast.Attribute) and method.attr in ("parameters", "named_parameters"):
            return _last(method.value)
    return ""


def _last(expr: ast.expr) -> str:
    """The name as messages have it: `vision_tower` of `model.get_vision_tower()`."""
    return ast.unparse(expr).rpartition(".")[2].removesuffix("()").removeprefix("get_")
