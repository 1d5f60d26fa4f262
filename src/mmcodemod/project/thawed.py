"""Parameters that are frozen first and made to train again later in the same function. Must-analysis: what
decides whether a run comes there shows."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Fatal
from mmcodemod.project.comes_by import MAX_DEPTH, comes_by
from mmcodemod.project.flow import flow_of, start_of
from mmcodemod.project.model import Project


def thawed(project: Project, context: Context, function: str, node: ast.AST, part: str) -> Note | None:
    """The `model.requires_grad_(True)` behind `node`, which froze `part` of the model or all of it, that a
    run which came by `node` comes by, too."""
    settled = frozenset(flow_of(project, function).tests(node))
    for call in project.calls_of(function, ("requires_grad_",)):
        whole = _whole(call)
        holds = whole and (part == whole or part.startswith(f"{whole}."))
        if not holds or start_of(call) < start_of(node):
            continue
        if _another(project, function, whole.partition(".")[0], node, call):
            continue
        runs = comes_by(project, context, function, call, MAX_DEPTH, settled)  # no callers
        if isinstance(runs, Fatal):
            at = project.place(function.partition("::")[0], call)
            return Note(at, f"makes all of `{whole}` train again")
    return None


def _whole(call: ast.Call) -> str:
    """`model` of `model.requires_grad_(True)`, "" for any other call."""
    given = [*call.args, *(k.value for k in call.keywords)]
    on = not given or (len(given) == 1 and isinstance(given[0], ast.Constant) and given[0].value is True)
    return unparse(call.func.value) if on and isinstance(call.func, ast.Attribute) else ""


def _another(project: Project, function: str, name: str, first: ast.AST, then: ast.AST) -> bool:
    """Does the name stand for something else by then? What wraps the same object does not count."""
    return any(
        any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
        and not any(isinstance(n, ast.Name) and n.id == name for n in walk(node.value))
        for node in own_nodes(project.index.function(function).node)
        if isinstance(node, ast.Assign) and start_of(first) < start_of(node) < start_of(then)
    )
