"""What a call gets from dictionaries that are spread into it. Must-analysis: a name counts that the function
binds once, to a display, and does nothing else with than to spread it."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.project.model import Project


def spread_entries(project: Project, facts: FunctionFacts, call: ast.Call) -> dict[str, ast.expr] | None:
    """Their entries by key; None where one of them may hold what does not show."""
    found: dict[str, ast.expr] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            entries = _entries(_display(project, facts, keyword.value))
            if entries is None:
                return None
            found |= entries
    return found


def _display(project: Project, facts: FunctionFacts, expr: ast.expr) -> ast.expr | None:
    if not isinstance(expr, ast.Name):
        return expr
    sources = project.resolver.body(facts.id).names.get(expr.id, ())
    if len(sources) != 1 or sources[0].via is not Via.VALUE or sources[0].index >= 0:
        return None
    return sources[0].expr if _only_spread(facts, expr.id) else None


def _only_spread(facts: FunctionFacts, name: str) -> bool:
    """Is the name read for nothing but to be spread?"""
    nodes = list(own_nodes(facts.node))
    spread = {id(k.value) for n in nodes if isinstance(n, ast.Call) for k in n.keywords if k.arg is None}
    read = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    return all(id(n) in spread for n in read)


def _entries(expr: ast.expr | None) -> dict[str, ast.expr] | None:
    """The entries of `{"a": 1}` or `dict(a=1)`."""
    if isinstance(expr, ast.Dict):
        keys = [k.value if isinstance(k, ast.Constant) else None for k in expr.keys]
        plain = all(isinstance(key, str) for key in keys)
        return dict(zip(map(str, keys), expr.values)) if plain else None
    match expr:
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=given) if all(k.arg for k in given):
            return {str(k.arg): k.value for k in given}
    return None
