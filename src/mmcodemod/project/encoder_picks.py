"""Calls of the one module of a dict that the batch picks: `self.encoders[kind](x)`. Ranks whose batches are
of another kind run another one. May-analysis: nothing shows which kinds two ranks get in one step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes, source_order
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.pattern import regex
from mmcodemod.project.branches import Branch, function_scope
from mmcodemod.project.encoder_loops import is_modality
from mmcodemod.project.flow import flow_of
from mmcodemod.project.infer import Frame
from mmcodemod.project.modality import Atom, Kind, Scope, data_roots
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall, ModuleCalls, label
from mmcodemod.project.values import Text

_LOOKS_UP = regex(rb"self\.\w+\[[A-Za-z_][\w.\[\]\"']{0,200}\]")
_EACH = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def encoder_picks(project: Project) -> list[Branch]:
    """Such calls in what a forward runs. Use through `project.get(encoder_picks)`."""
    return [
        branch
        for facts in project.forward_functions()
        if _LOOKS_UP.search(project.source(facts))
        for branch in _of_function(project, facts)
    ]


def _of_function(project: Project, facts: FunctionFacts) -> Iterator[Branch]:
    scope, flow = function_scope(project, facts), flow_of(project, facts.id)
    nodes = list(own_nodes(facts.node))
    each = {id(part) for n in nodes if isinstance(n, _EACH) for part in own_nodes(n)}
    calls = sorted((n for n in nodes if isinstance(n, ast.Call)), key=source_order)
    for call in calls:
        held = _picked(call, scope)
        if held is not None and id(call) not in each and flow.loop_of(call) is None:
            for frame in project.frames(facts.id)[:1]:
                yield from _branch(project, facts, frame, call, held, calls)


def _picked(call: ast.Call, scope: Scope) -> ast.Subscript | None:
    """`self.encoders[kind]`, also by a name, where the batch decides the key."""
    held = scope.stands_for(call.func.id) if isinstance(call.func, ast.Name) else call.func
    if not isinstance(held, ast.Subscript) or isinstance(held.slice, (ast.Constant, ast.Slice)):
        return None
    return held if data_roots(held.slice, scope) else None


def _branch(
    project: Project,
    facts: FunctionFacts,
    frame: Frame,
    call: ast.Call,
    held: ast.Subscript,
    calls: list[ast.Call],
) -> Iterator[Branch]:
    values = project.resolver.iterated(project.resolver.infer(held.value, frame))
    keys = sorted(str(v.value) for v in values if isinstance(v, Text))
    atoms = [Atom(held.slice, Kind.PRESENCE, key, key=True) for key in keys if is_modality(key)]
    runs = project.get(ModuleCalls)
    if not atoms or len(keys) < 2 or not runs.of(call, frame).modules:
        return
    name = label(held.value)
    others = (runs.of(other, frame).modules for other in calls if other is not call)
    if not any(name in modules for modules in others):
        one = ModuleCall(call, frozenset((name,)))
        yield Branch(facts, call, tuple(atoms), frame, (one,), (), asked=held.slice, picks=True)
