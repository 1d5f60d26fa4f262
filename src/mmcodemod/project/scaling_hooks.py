"""Hooks of the tree's own that multiply or divide gradients on their way. May-analysis: a hook that does not
show counts.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html (what a hook returns
takes the place of the gradient).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import walk
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound, FunctionRef

_REGISTERS = ("register_hook", "register_post_accumulate_grad_hook", "register_full_backward_hook")
_METHODS = frozenset(("div", "div_", "divide", "true_divide", "mul", "mul_", "multiply"))
_FACTORS = (ast.Div, ast.Mult)


def scaling_hooks(project: Project) -> bool:
    """Does the tree register one? Use through `project.get`."""
    return any(
        _scales(project, call.args[0], facts.id)
        for facts in project.mentioning(*_REGISTERS)
        if not is_stub(facts.id)
        for call in project.calls_of(facts.id, _REGISTERS)
        if call.args
    )


def _scales(project: Project, hook: ast.expr, function: str) -> bool:
    nodes = list(_code(project, hook, function))
    return not nodes or any(_is_scaling(n) for node in nodes for n in walk(node))


def _code(project: Project, hook: ast.expr, function: str) -> Iterator[ast.AST]:
    """What runs as the hook; nothing where that does not show."""
    if isinstance(hook, ast.Lambda):
        yield hook.body
        return
    for value in project.values(hook, function):
        if isinstance(value, (Bound, FunctionRef)):
            yield project.index.function(value.function).node


def _is_scaling(node: ast.AST) -> bool:
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return isinstance(node.op, _FACTORS)
    return isinstance(node, ast.Call) and bare_name(node.func) in _METHODS
