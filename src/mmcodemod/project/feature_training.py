"""Do the modules that make features train? Only those count that run with gradients, down to the modules
that functions of the tree call; a line that freezes one of them, or parts of the model by name, leaves it
open."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context
from mmcodemod.project.features import Features, callees, without_gradients
from mmcodemod.project.flow import flow_of
from mmcodemod.project.frozen_modules import freezes, trains
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCalls

MAX_DEPTH = 4


def with_gradients(project: Project, features: Features, frame: Frame) -> frozenset[str]:
    """The modules that compute the features and record what they do."""
    return frozenset(m for c in features.calls for m in _recording(project, c.call, frame, 0))


def _recording(project: Project, call: ast.Call, frame: Frame, depth: int) -> frozenset[str]:
    if without_gradients(project, call, frame):
        return frozenset()
    calls = project.get(ModuleCalls)
    inner = [f for f in callees(project, call, frame) if not f.function.endswith(".forward")]
    if not inner or depth == MAX_DEPTH:
        return calls.of(call, frame).modules
    found = frozenset[str]()
    for callee in inner:
        for run in calls.within([project.index.function(callee.function).node], callee):
            found |= _recording(project, run.call, callee, depth + 1)
    return found


def frozen_perhaps(project: Project, context: Context, modules: frozenset[str]) -> str:
    """The open fact whether any of the modules trains; "" where nothing freezes one of them, or where this
    run trains it all the same."""
    frozen = {freeze.module for freeze in freezes(project, modules)}
    held = {name for name in frozen & modules if not trains(project, context, name)}
    free = {name for name in modules if name not in held and not _frozen_by_name(project, name)}
    if free:
        return ""
    named = " or ".join(f"`{name}`" for name in sorted(modules)[:2])
    return f"whether {named or 'what makes the features'} trains"


def _frozen_by_name(project: Project, module: str) -> bool:
    """`for name, p in model.named_parameters(): if "clip" in name: p.requires_grad = False`"""
    return any(word in module for word in project.get(_words))


def _words(project: Project) -> frozenset[str]:
    """The texts that the tests around lines that freeze parameters look for."""
    found: set[str] = set()
    for facts in project.mentioning("requires_grad", "requires_grad_"):
        for node in own_nodes(facts.node) if facts.id in project.trained else ():
            if _freezes(node):
                for test, _ in flow_of(project, facts.id).tests(node):
                    found |= _texts(test.test)
    return frozenset(found)


def _freezes(node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=[ast.Attribute(attr="requires_grad")], value=ast.Constant(False)):
            return True
        case ast.Call(func=ast.Attribute(attr="requires_grad_"), args=[ast.Constant(False)]):
            return True
    return False


def _texts(test: ast.expr) -> set[str]:
    nodes = (n.value for n in walk(test) if isinstance(n, ast.Constant))
    return {value for value in nodes if isinstance(value, str) and len(value) > 2}
