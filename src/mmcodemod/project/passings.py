"""What the calls of a function give for one of its parameters: worked out once, because calls of different
frames are the same expression."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import How
from mmcodemod.project.arguments import argument, spread_argument
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.model import Project
from mmcodemod.project.signatures import bound_first
from mmcodemod.project.stubs import is_stub


@frozen(slots=True)
class Passing:
    """`expr`: what a call in the function `caller` passes, or the default that holds there; None where
    neither of them shows. `index`: which element of `expr` it is, of what the call spreads; else -1."""

    caller: str
    expr: ast.expr | None
    is_default: bool = False
    index: int = -1


def passings(project: Project, facts: FunctionFacts, name: str) -> list[Passing]:
    """In the order of the callers, without repeats."""
    known = project.get(_memo)
    key = (facts.id, name)
    if key not in known:
        edges = (e for e in project.callers(facts.id) if e.site is not None)
        default = default_of(facts, name)
        known[key] = list(dict.fromkeys(_passing(edge, facts, name, default) for edge in edges))
    return known[key]


def _memo(project: Project) -> dict[tuple[str, str], list[Passing]]:
    return {}


def _passing(edge: Edge, facts: FunctionFacts, name: str, default: ast.expr | None) -> Passing:
    caller = edge.caller.function
    if is_stub(caller):
        return Passing(caller, None)
    passed = argument(edge.call, facts, name)
    if passed is not None:
        return Passing(caller, passed)
    spread, index = spread_argument(edge.call, facts, name)
    if spread is not None:
        return Passing(caller, spread, index=index)
    if default is None or edge.how is How.CALLBACK or (edge.call and _spreads(edge.call)):
        return Passing(caller, None)
    return Passing(caller, default, True)


def passing(edge: Edge, facts: FunctionFacts, name: str) -> Passing:
    """What one call gives; it shows where the call binds what a method is called on, and nothing else."""
    if edge.skip != bound_first(facts):
        return Passing(edge.caller.function, None)
    return _passing(edge, facts, name, default_of(facts, name))


def default_of(facts: FunctionFacts, name: str) -> ast.expr | None:
    """The default of a parameter, None when it has none."""
    if isinstance(facts.node, ast.Module):
        return None
    args = facts.node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [*zip(reversed(positional), reversed(args.defaults)), *zip(args.kwonlyargs, args.kw_defaults)]
    return next((default for arg, default in pairs if arg.arg == name), None)


def _spreads(call: ast.Call) -> bool:
    return any(k.arg is None for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args)
