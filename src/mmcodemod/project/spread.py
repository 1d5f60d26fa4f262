"""What a call is given by keyword, also through a dict that is spread: `f(**options)`. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from mmcodemod.facts.body import own_nodes
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Tracing


def given(project: Project, origins: Tracing, call: ast.Call, function: str, name: str) -> list[Origin]:
    """Where the argument for `name` of a call in `function` may come from; empty where none shows."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return origins.of(keyword.value, function)
    spread = (k.value for k in call.keywords if k.arg is None)
    entries = (entry for value in spread for entry in _entries(project, origins, value, function, name))
    return list(dict.fromkeys(o for value, where in entries for o in origins.of(value, where)))


def _entries(
    project: Project, origins: Tracing, spread: ast.expr, function: str, name: str
) -> Iterator[tuple[ast.expr, str]]:
    """What a dict holds under a name: as it was made, and as it is filled where it is made or spread."""
    made = [o for o in origins.of(spread, function) if isinstance(o.expr, (ast.Dict, ast.Call))]
    for origin in made:
        yield from ((value, origin.function) for value in _written(origin.expr, name))
    for where in dict.fromkeys((*(o.function for o in made), function)):
        assigned = (n for n in own_nodes(project.index.function(where).node) if isinstance(n, ast.Assign))
        for target, value in ((t, node.value) for node in assigned for t in node.targets):
            if _is_entry(target, name) and not set(made).isdisjoint(origins.of(target.value, where)):
                yield value, where


def _written(made: ast.expr, name: str) -> Iterator[ast.expr]:
    """`{"name": value}` and `dict(name=value)`."""
    if isinstance(made, ast.Dict):
        pairs = zip(made.keys, made.values)
        yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name)
    elif isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == "dict":
        yield from (k.value for k in made.keywords if k.arg == name)


def _is_entry(target: ast.expr, name: str) -> TypeGuard[ast.Subscript]:
    constant = target.slice if isinstance(target, ast.Subscript) else None
    return isinstance(constant, ast.Constant) and constant.value == name
