"""Loops that hold the trained parameters themselves between bounds: `p.data.clamp_(0, 1)` for each of them.
Must-analysis: one named parameter, such as a temperature, says nothing of the others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk

_CLAMPS = ("clamp_", "clip_")
_PARAMETERS = ("parameters", "named_parameters")


def clamped(function: ast.AST) -> ast.Call | None:
    """The call that does so in a function or in those inside it."""
    for node in walk(function):
        if isinstance(node, ast.For):
            names = _names(node.target) if _over_parameters(node.iter) else set()
        elif isinstance(node, ast.FunctionDef) and node is not function and _without_gradients(node):
            names = {a.arg for a in node.args.args}
        else:
            continue
        found = next(_clamps(node, names), None)
        if found is not None:
            return found
    return None


def _names(target: ast.expr) -> set[str]:
    return {n.id for n in walk(target) if isinstance(n, ast.Name)}


def _over_parameters(iterated: ast.expr) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr in _PARAMETERS for n in walk(iterated))


def _without_gradients(function: ast.FunctionDef) -> bool:
    """`@torch.no_grad()`"""
    return any("no_grad" in unparse(d) for d in function.decorator_list)


def _clamps(node: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    """`p.clamp_(...)` and `p.data.clamp_(...)`, of what the names stand for."""
    for call in walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _CLAMPS:
            on = call.func.value
            on = on.value if isinstance(on, ast.Attribute) and on.attr == "data" else on
            if isinstance(on, ast.Name) and on.id in names:
                yield call
