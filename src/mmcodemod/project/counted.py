"""What functions of the tree hand out beside the data and count alone: `yield number, batch`. Must-analysis:
all ranks count alike, wherever each of them gets its data."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Source, Via
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.facts.syntax import walk
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.positions import counts

_SUMS = (ast.Name, ast.Constant, ast.BinOp, ast.operator, ast.expr_context)


def counted(project: Project, function: str, call: ast.Call) -> frozenset[int]:
    """The positions in what a call of `function` goes over that every function that it may run fills with
    numbers of rounds."""
    edges = (e for frame in project.frames(function) for e in project.graph.edges.get(frame, ()))
    here = (e for e in edges if e.site is not None and e.line == call.lineno and e.call is call)
    found = [_handed_out(project, name) for name in {e.callee.function for e in here}]
    return frozenset.intersection(*found) if found else frozenset()


def _handed_out(project: Project, function: str) -> frozenset[int]:
    body = project.resolver.body(function)
    given = [*body.yields] or [Source(expr, Via.ELEMENT) for expr in body.returns]
    found = [_positions(project, source, function) for source in given]
    return frozenset.intersection(*found) if found else frozenset()


def _positions(project: Project, source: NodeSource, function: str) -> frozenset[int]:
    expr = source.expr
    if source.via is Via.ELEMENT:  # `yield from enumerate(loader)`
        enumerates = isinstance(expr, ast.Call) and getattr(expr.func, "id", "") == "enumerate"
        return frozenset((0,)) if enumerates else frozenset()
    parts = expr.elts if isinstance(expr, ast.Tuple) else []
    return frozenset(n for n, part in enumerate(parts) if _is_number(project, part, function))


def _is_number(project: Project, expr: ast.expr, function: str) -> bool:
    """`number`, `number + 1`"""
    names = {n.id for n in walk(expr) if isinstance(n, ast.Name)}
    sums = all(isinstance(n, _SUMS) for n in walk(expr))
    return sums and bool(names) and all(_is_counter(project, name, function) for name in names)


def _is_counter(project: Project, name: str, function: str) -> bool:
    """Is it given nothing but numbers of rounds, and what is added in each of them?"""
    sources = project.resolver.body(function).names.get(name, ())
    given = name in project.index.function(function).parameters.names
    return bool(sources) and not given and all(counts(s) or _adds(project, s, function) for s in sources)


def _adds(project: Project, source: NodeSource, function: str) -> bool:
    """`number = 0` and `number += 1`, in every round."""
    plain = source.via in (Via.VALUE, Via.ADDED) and isinstance(source.expr, ast.Constant)
    return plain and not any(flow_of(project, function).tests(source.expr))
