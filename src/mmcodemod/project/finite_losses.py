"""Where a loss that is no finite number is put right in the function that makes it: a test asks, and one side
of it has a value that is not made of the loss. NaN times zero is NaN. Must-analysis of one function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project

_FINITE = ("isfinite", "isnan", "isinf")
_LIKE = ("zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_tensor", "new_full")
_ABOUT = ("device", "dtype", "shape")


def finite_afterwards(project: Project, facts: FunctionFacts, made: ast.Call) -> Place | None:
    """The first place after the call `made` that gives another loss where the loss is no number."""
    nodes = list(own_nodes(facts.node))
    name = next((n.targets[0].id for n in nodes if isinstance(n, ast.Assign) and _keeps(n, made)), "")  # type: ignore[attr-defined]
    found = [n for n in nodes if name and getattr(n, "lineno", 0) > made.lineno and _puts_right(n, name)]
    first = min(found, key=lambda n: n.lineno, default=None)  # type: ignore[attr-defined]
    return None if first is None else project.place(facts.path, first)


def _keeps(assign: ast.Assign, made: ast.Call) -> bool:
    return isinstance(assign.targets[0], ast.Name) and any(n is made for n in own_nodes(assign.value))


def _puts_right(node: ast.AST, name: str) -> bool:
    """`if isnan(x): x = y`, `y if isnan(x) else x`, `torch.where(isnan(x), y, x)`"""
    if isinstance(node, ast.If) and _asks(node.test, name):
        return any(_is_fresh(value, name) for value in _given((*node.body, *node.orelse), name))
    if isinstance(node, ast.IfExp) and _asks(node.test, name):
        return _is_fresh(node.body, name) or _is_fresh(node.orelse, name)
    if isinstance(node, ast.Call) and bare_name(node.func) == "where" and len(node.args) == 3:
        return _asks(node.args[0], name) and any(_is_fresh(value, name) for value in node.args[1:])
    return False


def _asks(test: ast.expr, name: str) -> bool:
    """`torch.isnan(x)`, `x.isnan()`, `math.isnan(x.item())`"""
    calls = [n for n in own_nodes(test) if isinstance(n, ast.Call) and bare_name(n.func) in _FINITE]
    return any(isinstance(n, ast.Name) and n.id == name for call in calls for n in own_nodes(call))


def _given(block: tuple[ast.stmt, ...], name: str) -> Iterator[ast.expr]:
    """What the statements of a block give to a name, and what they return."""
    for statement in block:
        if isinstance(statement, ast.Assign):
            if any(isinstance(target, ast.Name) and target.id == name for target in statement.targets):
                yield statement.value
        elif isinstance(statement, ast.Return) and statement.value is not None:
            yield statement.value


def _is_fresh(value: ast.expr, name: str) -> bool:
    """Is a value made of something else? `zeros_like(x)` and `x.device` are no value of `x`."""
    if isinstance(value, ast.Name):
        return value.id != name
    if isinstance(value, ast.Attribute) and value.attr in _ABOUT:
        return True
    if isinstance(value, ast.Call) and bare_name(value.func) in _LIKE:
        return True
    parts = (n for n in ast.iter_child_nodes(value) if isinstance(n, (ast.expr, ast.keyword)))
    return all(_is_fresh(p.value if isinstance(p, ast.keyword) else p, name) for p in parts)
