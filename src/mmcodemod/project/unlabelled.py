"""Where training code asks whether any label of a sample is left. May-analysis."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.place import Place
from mmcodemod.project.ignored_labels import is_ignored
from mmcodemod.project.model import Project

_ASKING = ("all", "any")
_WANTED: dict[str, tuple[type[ast.cmpop], str]] = {
    "all": (ast.Eq, "eq"),
    "any": (ast.NotEq, "ne"),
    "sum": (ast.NotEq, "ne"),
    "count_nonzero": (ast.NotEq, "ne"),
}


def unlabelled_asked(project: Project) -> Place | None:
    """The first `(labels == -100).all()` or `(labels != -100).any()`, or a count of them that is tested, also
    where functions of torch ask and compare. Use through `project.get`."""
    found = [
        project.place(facts.path, node)
        for facts in project.mentioning(*(f"{name}(" for name in _WANTED))
        if facts.id in project.trained
        for node in project.calls_of(facts.id, _WANTED)
        if _asks(project, facts, node)
    ]
    return min(found, default=None)


def _asks(project: Project, facts: FunctionFacts, call: ast.Call) -> bool:
    """Is it `x.all()` or `torch.all(x)`, with one answer for all of `x`? With `dim` it is one for each row;
    Python's own `all` asks about anything."""
    if not isinstance(call.func, ast.Attribute) or call.keywords or len(call.args) > 1:
        return False
    subject = call.args[0] if call.args else call.func.value
    other = _compared(subject, *_WANTED[call.func.attr])
    asks = call.func.attr in _ASKING or _is_tested(project, facts, call)
    return asks and other is not None and is_ignored(project, other, facts.id)


def _is_tested(project: Project, facts: FunctionFacts, count: ast.Call) -> bool:
    """Does a test ask for the count, or for a name that keeps it?"""
    nodes = list(own_nodes(facts.node))
    kept = {n.targets[0].id for n in nodes if isinstance(n, ast.Assign) and _keeps(n, count)}  # type: ignore[attr-defined]
    tests = [n.test for n in nodes if isinstance(n, (ast.If, ast.IfExp, ast.While, ast.Assert))]
    parts = (part for test in tests for part in walk(test))
    return any(part is count or (isinstance(part, ast.Name) and part.id in kept) for part in parts)


def _keeps(assign: ast.Assign, count: ast.Call) -> bool:
    """`left = count.item()`, `left = int(count)`"""
    value = assign.value
    while isinstance(value, ast.Call) and value is not count:
        value = value.func.value if isinstance(value.func, ast.Attribute) else (value.args or [value.func])[0]
    return value is count and isinstance(assign.targets[0], ast.Name)


def _compared(asked: ast.expr, operator: type[ast.cmpop], name: str) -> ast.expr | None:
    """What all of it is compared with: `x == y`, `x.eq(y)`, `torch.eq(x, y)`."""
    if isinstance(asked, ast.Compare):
        return asked.comparators[0] if len(asked.ops) == 1 and isinstance(asked.ops[0], operator) else None
    if isinstance(asked, ast.Call) and isinstance(asked.func, ast.Attribute) and asked.func.attr == name:
        return asked.args[-1] if asked.args else None
    return None
