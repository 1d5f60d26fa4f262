"""Is a place inside `deepspeed.zero.GatheredParameters`? Context managers bound to a variable count, and
so do gathers around every call of the function, those around the `yield` of a context manager of the tree,
and subclasses of the tree. May-analysis: one gathering arm of an if/else is enough."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.place import Place
from mmcodemod.project.flow import flow_of
from mmcodemod.project.infer import Frame
from mmcodemod.project.library import library_name, made_by
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound, ClassRef, FunctionRef, Value

GATHERS = ("GatheredParameters", "gather_full_param", "summon_full_params", "unwrap_model_for_generation")
MAX_DEPTH = 3
_MANAGES = "contextmanager"


def gathered_at(
    project: Project, facts: FunctionFacts, node: ast.AST, frame: Frame, depth: int = 0
) -> Place | None:
    """The `with` that gathers around `node`, here or around every call that leads here; None when there
    is none."""
    return _around(project, facts, node, frame, 0) or _around_calls(project, facts, depth)


def _around(project: Project, facts: FunctionFacts, node: ast.AST, frame: Frame, depth: int) -> Place | None:
    """The `with` of the function itself that gathers around `node`."""
    for around in flow_of(project, facts.id).around(node):
        if isinstance(around, (ast.With, ast.AsyncWith)):
            managers = [*(item.context_expr for item in around.items), *_entered(around, node)]
            if any(gathers(project, manager, frame, depth) for manager in managers):
                return Place(facts.path, around.lineno)
    return None


def _entered(around: ast.With | ast.AsyncWith, node: ast.AST) -> Iterator[ast.expr]:
    """What `with ExitStack() as stack:` has entered before `node`, by `stack.enter_context(...)`."""
    stacks = {i.optional_vars.id for i in around.items if isinstance(i.optional_vars, ast.Name)}
    for call in own_nodes(around) if stacks else ():
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="enter_context"), args=[manager]):
                if name in stacks and call.lineno < getattr(node, "lineno", 0):
                    yield manager


def _around_calls(project: Project, facts: FunctionFacts, depth: int) -> Place | None:
    edges = project.callers(facts.id)
    found = []
    for edge in edges if depth < MAX_DEPTH else []:
        if edge.site is None or edge.caller.function.startswith("<"):
            return None
        caller = project.index.function(edge.caller.function)
        place = gathered_at(project, caller, edge.call, edge.caller, depth + 1)
        if place is None:
            return None
        found.append(place)
    return min(found, default=None)


def gathers(project: Project, expr: ast.expr, frame: Frame, depth: int = 0) -> bool:
    """May this context manager be a gather? In an if/else one arm is enough: the other is the arm for
    unsharded parameters."""
    values = project.resolver.infer(expr, frame)
    modules = project.index.modules
    if any((made_by(modules, v) or library_name(modules, v)).endswith(GATHERS) for v in values):
        return True
    called = project.resolver.infer(expr.func, frame) if isinstance(expr, ast.Call) else frozenset()
    return any(library_name(modules, v).endswith(GATHERS) or _own(project, v, depth) for v in called)


def _own(project: Project, value: Value, depth: int) -> bool:
    """Is it a context manager of the tree that gathers: a subclass of one that does, or a function that does
    so around its `yield`?"""
    if isinstance(value, ClassRef) and not is_stub(value.cls):
        return any(name.endswith(GATHERS) for name in project.resolver.classes.external_bases(value.cls))
    if not isinstance(value, (FunctionRef, Bound)) or is_stub(value.function) or depth >= MAX_DEPTH:
        return False
    facts = project.index.function(value.function)
    if _MANAGES not in facts.decorators:
        return False
    yields = (node for node in own_nodes(facts.node) if isinstance(node, ast.Yield))
    return any(_around(project, facts, node, value.frame, depth + 1) for node in yields)
