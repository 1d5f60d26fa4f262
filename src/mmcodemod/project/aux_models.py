"""Models that a run loads beside the one that it trains, and runs without an engine. Must-analysis of which
load a call runs; a load that anything else is handed, or that is kept on something, is left out."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Attribute, Name
from mmcodemod.knowledge.wrappers import SELF_METHODS
from mmcodemod.model.context import Strategy
from mmcodemod.model.frozen import frozen
from mmcodemod.project.hf_loads import hf_loads
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import ClassRef, FunctionRef

_RUNS = ("forward", "generate")
_OWNED = ("model", "module")  # keywords of what trains


@frozen()
class AuxRun:
    """`call` runs what `load` in the function `loader` has loaded, and nothing prepares."""

    function: str
    call: ast.Call
    loader: str
    load: ast.Call


def aux_runs(project: Project) -> list[AuxRun]:
    """Those of training code, the first of each load. Use through `project.get(aux_runs)`."""
    every = (*project.contexts, *project.configured)
    if not any(context.strategy is Strategy.ZERO3 for context in every):
        return []
    loads = _loads(project)
    if len(loads) < 2:
        return []
    origins, found = Origins(project), dict[Origin, AuxRun]()
    for facts in _own(project):
        for run in _runs(project, origins, facts, loads):
            found.setdefault(Origin(run.load, run.loader), run)
    kept = _not_handed(project, origins, found)
    return [run for load, run in found.items() if load in kept]


def _own(project: Project) -> Iterator[FunctionFacts]:
    """Training code outside of modules."""
    watched = {facts.id for facts in project.forward_functions()}
    for facts in project.functions():
        method = facts.owner and project.is_module(f"{facts.path}::{facts.owner}")
        if facts.id in project.trained and facts.id not in watched and not method and not is_stub(facts.id):
            yield facts


def _loads(project: Project) -> frozenset[Origin]:
    """The loads of models in training code, outside of modules."""
    words = project.mentioning("from_pretrained")
    files = {facts.path for facts in words}
    return frozenset(
        Origin(load.call, facts.id)
        for facts in _own(project)
        if facts.path in files
        for load in hf_loads(project, facts.id)
        if not load.weightless and load.call.func.attr == "from_pretrained"  # type: ignore[attr-defined]
    )


def _runs(
    project: Project, origins: Origins, facts: FunctionFacts, loads: frozenset[Origin]
) -> Iterator[AuxRun]:
    for site in facts.body.calls:
        func = site.func
        if isinstance(func, Attribute) and func.attr in _RUNS:
            func = func.value
        if isinstance(func, (Name, Attribute)) and _may_hold(project, func, facts.id):
            call = node_of(site)
            model = _model(call.func)
            of = _of(origins, model, facts.id)
            if len(of) == 1 and of <= loads:
                (load,) = of
                assert isinstance(load.expr, ast.Call)
                yield AuxRun(facts.id, call, load.function, load.expr)


def _may_hold(project: Project, func: Name | Attribute, function: str) -> bool:
    """May it be something that `from_pretrained` gave?"""
    return any("from_pretrained" in getattr(v, "by", "") for v in project.values(func, function))


def _model(func: ast.expr) -> ast.expr:
    return func.value if isinstance(func, ast.Attribute) and func.attr in _RUNS else func


def _of(origins: Origins, expr: ast.expr, function: str) -> frozenset[Origin]:
    """Where a model comes from, methods that give it back left out."""
    return frozenset(_bare(origin) for origin in origins.of(expr, function))


def _bare(origin: Origin) -> Origin:
    expr = origin.expr
    while isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
        if expr.func.attr not in SELF_METHODS:
            break
        expr = expr.func.value
    return Origin(expr, origin.function)


# -- what else a load is handed to ------------------------------------------------------------------------


def _not_handed(project: Project, origins: Origins, loads: Collection[Origin]) -> set[Origin]:
    """The loads that no call and no attribute of something else gets, which may prepare or own them."""
    left = set(loads)
    for facts in project.functions():
        if left and facts.id in project.trained and not is_stub(facts.id):
            for expr in _given(project, facts):
                left -= _of(origins, expr, facts.id)
    return left


def _given(project: Project, facts: FunctionFacts) -> Iterator[ast.expr]:
    """What calls of a function get, what it puts into displays, and what it keeps on other objects."""
    body = project.resolver.body(facts.id)
    for call in body.calls:
        for name, expr in (*((None, arg) for arg in call.args), *((k.arg, k.value) for k in call.keywords)):
            if not _followed(project, facts.id, call, name):
                yield from _plain(expr)
    for store in body.stores:
        if not (isinstance(store.base, ast.Name) and store.base.id == "self"):
            yield from _plain(store.value.expr)
    for put in body.puts:
        yield from _plain(put.value.expr)
    for node in own_nodes(facts.node):
        if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
            yield from _plain(node)


def _plain(expr: ast.expr) -> Iterator[ast.expr]:
    """The names and attributes in an expression, what is called left out."""
    stack: list[ast.AST] = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Name, ast.Attribute)):
            if isinstance(node.ctx, ast.Load):
                yield node
        elif not isinstance(node, (ast.Call, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def _followed(project: Project, function: str, call: ast.Call, name: str | None) -> bool:
    """Is an argument followed into what is called: a function of the tree, or a keyword of its own that an
    object, which is no module, takes beside its model?"""
    values = project.values(call.func, function)
    if not values or name in _OWNED:
        return False
    return all(
        (isinstance(v, FunctionRef) and not is_stub(v.function))
        or (isinstance(v, ClassRef) and name is not None and _takes(project, v.cls, name))
        for v in values
    )


def _takes(project: Project, cls: str, name: str) -> bool:
    init = project.resolver.classes.find(cls, "__init__")
    if init is None or is_stub(init) or project.is_module(cls):
        return False
    return name in project.index.function(init).parameters.names
