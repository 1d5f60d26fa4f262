"""Functions that an optimizer runs at its step: `optimizer.register_step_pre_hook(clip)`, and
`optimizer.step = clip_and_step`. May-analysis.

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_step_pre_hook.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.knowledge.gradients import is_optimizer
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project
from mmcodemod.project.values import Bound, FunctionRef, Instance, Made

_OWN = "register_step_pre_hook"
_OF_ALL = "register_optimizer_step_pre_hook"  # torch.optim.optimizer


@frozen()
class StepHook:
    """`hooked` runs at each step of `optimizer` (None: of every one) once `function` has come to `node`."""

    hooked: str
    node: ast.expr
    function: str
    optimizer: ast.expr | None


def step_hooks(project: Project) -> list[StepHook]:
    """All of them. Use through `project.get(step_hooks)`."""
    return [
        StepHook(hooked, node, function, optimizer)
        for function, node, given, optimizer in (*_registered(project), *_replaced(project))
        for hooked in sorted(_functions(project, given, function))
    ]


_Given = tuple[str, ast.expr, ast.expr, ast.expr | None]


def _registered(project: Project) -> Iterator[_Given]:
    for facts in project.mentioning("step_pre_hook("):
        for call in project.calls_of(facts.id, (_OWN, _OF_ALL)):
            own = isinstance(call.func, ast.Attribute) and call.func.attr == _OWN
            for given in (*call.args, *(k.value for k in call.keywords))[:1]:
                yield facts.id, call, given, call.func.value if own else None  # type: ignore[attr-defined]


def _replaced(project: Project) -> Iterator[_Given]:
    for facts in project.mentioning(".step =", ".step="):
        if any(store.attr == "step" for store in facts.body.stores):
            for store in project.resolver.body(facts.id).stores:
                if store.attr == "step" and _is_optimizer(project, store.base, facts.id):
                    yield facts.id, store.value.expr, store.value.expr, store.base


def _is_optimizer(project: Project, expr: ast.expr, function: str) -> bool:
    values = project.values(expr, function)
    bases = {
        b for v in values if isinstance(v, Instance) for b in project.resolver.classes.external_bases(v.cls)
    }
    return any(map(is_optimizer, bases | {v.by for v in values if isinstance(v, Made)}))


def _functions(project: Project, given: ast.expr, function: str) -> set[str]:
    """The functions of the tree that an expression stands for."""
    return {v.function for v in project.values(given, function) if isinstance(v, (FunctionRef, Bound))}
