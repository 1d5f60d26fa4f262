"""Does a run get to a place only where a parameter is given another name than its default? Nothing but a seen
value shows then that it does (`kind="plain"`, and `if kind == "pairs"` around the call that leads there)."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.grade import How
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.settings import truths
from mmcodemod.project.stubs import is_stub

MAX_DEPTH = 3  # calls above the place


def off_default(project: Project, context: Context, function: str, node: ast.AST, depth: int = 0) -> str:
    """The open fact, where every way that shows asks for a name that is not the default; "" without one."""
    for asked, outcome in flow_of(project, function).tests(node):
        if _by_default(project, asked.test, function) is (not outcome):
            if truths(project, context, asked.test, function) != {outcome}:
                return f"whether `{unparse(asked.test)}` is {'true' if outcome else 'false'}"
    if context.entry is None or depth >= MAX_DEPTH:
        return ""
    reach = project.reach(context.entry)
    edges = [e for e in project.callers(function) if e.caller.function in reach and _is_way(e)]
    if not edges or any(is_stub(e.caller.function) for e in edges):
        return ""
    found = [off_default(project, context, e.caller.function, e.call, depth + 1) for e in edges]
    return found[0] if all(found) else ""


def _is_way(edge: Edge) -> bool:
    return edge.site is not None and edge.how is not How.NAME_ONLY


def _by_default(project: Project, test: ast.expr, function: str) -> bool | None:
    """How a test comes out where nobody gives the parameters that it compares with names; None if open."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _by_default(project, test.operand, function)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts = [_by_default(project, value, function) for value in test.values]
        enough = isinstance(test.op, ast.Or)
        return enough if enough in parts else None if None in parts else not enough
    return _compared(project, test, function) if isinstance(test, ast.Compare) else None


def _compared(project: Project, test: ast.Compare, function: str) -> bool | None:
    """`kind == "pairs"`, `kind in ("pairs", "ranked")`"""
    default = _default(project, test.left, function)
    operator, right = test.ops[0], test.comparators[0]
    shown = right.elts if isinstance(right, (ast.Tuple, ast.List, ast.Set)) else [right]
    texts = [e.value for e in shown if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    if default is None or len(test.ops) > 1 or len(texts) < len(shown) or not texts:
        return None
    if isinstance(operator, (ast.Eq, ast.In)):
        return default in texts
    return default not in texts if isinstance(operator, (ast.NotEq, ast.NotIn)) else None


def _default(project: Project, expr: ast.expr, function: str) -> str | None:
    """The text that a parameter is by default, where the function gives it no other value."""
    node = project.index.function(function).node
    if not isinstance(expr, ast.Name) or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    positional = [*node.args.posonlyargs, *node.args.args]
    defaults = node.args.defaults
    pairs = [*zip(positional[len(positional) - len(defaults) :], defaults)]
    pairs += [(a, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None]
    value = next((d for a, d in pairs if a.arg == expr.id), None)
    if project.resolver.body(function).names.get(expr.id):
        return None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
