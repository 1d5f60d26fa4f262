"""Is it open which class's backward pass a run takes? `optimizer.backward(loss)` of an object that may be of
several classes of the tree: what one of them does proves nothing about the others."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.project.gradients import GradCall, Gradients
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound


def other_passes(project: Project, context: Context, passed: GradCall) -> str:
    """The open fact, where another method that the run may take there leads to no such pass; "" else."""
    for call, function in passed.via:
        if isinstance(call.func, ast.Attribute):
            found = _methods(project, context, call.func, function)
            leading = {method for method in found if _leads(project, method, passed)}
            if leading and leading < found:
                names = " or ".join(f"`{name}`" for name in sorted(map(_owner, leading)))
                return f"whether `{unparse(call.func.value)}` is of the class {names}"
    return ""


def _methods(project: Project, context: Context, func: ast.Attribute, function: str) -> set[str]:
    values = project.values(func, function)
    own = {v.function for v in values if isinstance(v, Bound) and not is_stub(v.function)}
    return own if context.entry is None else {m for m in own if m in project.reach(context.entry)}


def _leads(project: Project, method: str, passed: GradCall) -> bool:
    return any(g.kind is passed.kind for g in project.get(Gradients).inside(method))


def _owner(method: str) -> str:
    return method.partition("::")[2].rpartition(".")[0]
