"""Functions of the tree that give back something in any case: no return of theirs is None. Must-analysis of
their returns, and of the names that these return."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.project.model import Project
from mmcodemod.project.rows_asked import Facts

_MADE = (
    ast.BinOp,
    ast.Dict,
    ast.DictComp,
    ast.GeneratorExp,
    ast.JoinedStr,
    ast.List,
    ast.ListComp,
    ast.Set,
    ast.SetComp,
    ast.Tuple,
)
_MAKERS = ("torch.", "numpy.")


def given_back(project: Project, facts: FunctionFacts, bound: ast.Assign) -> Facts:
    """What holds of `x` after `x = helper(...)`: it is there."""
    called, target = bound.value, bound.targets[0]
    if not isinstance(called, ast.Call) or not isinstance(target, ast.Name):
        return set()
    edges = [e for frame in project.frames(facts.id) for e in project.graph.edges.get(frame, ())]
    callees = {e.callee.function for e in edges if e.site is not None and e.call is called}
    sure = bool(callees) and all(project.once(_always, callee) for callee in callees)
    return {target.id} if sure else set()


def _always(project: Project, function: str) -> bool:
    """Does the function end with a return, and is none of its returns None?"""
    facts = project.index.function(function)
    body = getattr(facts.node, "body", [])
    returns = [n for n in own_nodes(facts.node) if isinstance(n, ast.Return)]
    yields = any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own_nodes(facts.node))
    ends = bool(body) and isinstance(body[-1], ast.Return) and not yields
    return ends and all(_something(project, facts, n.value) for n in returns)


def _something(project: Project, facts: FunctionFacts, value: ast.expr | None) -> bool:
    if isinstance(value, ast.Name):
        binds = [n for n in own_nodes(facts.node) if isinstance(n, ast.Name) and _binds(n, value.id)]
        made = [n.value for n in own_nodes(facts.node) if isinstance(n, ast.Assign) and n.targets[0] in binds]
        return bool(made) and len(made) == len(binds) and all(_made(project, facts, m) for m in made)
    return value is not None and _made(project, facts, value)


def _binds(node: ast.Name, name: str) -> bool:
    return node.id == name and not isinstance(node.ctx, ast.Load)


def _made(project: Project, facts: FunctionFacts, value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        names = project.names(value.func, facts.id)
        return bool(names) and all(name.startswith(_MAKERS) for name in names)
    return isinstance(value, _MADE)
