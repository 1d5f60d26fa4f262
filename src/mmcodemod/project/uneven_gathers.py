"""Gathers of parameters that only some ranks get to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.nodes import node_of
from mmcodemod.project.divergence import Cause, Divergence, gathers, plain, saves
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import Letter
from mmcodemod.project.zero3_asked import asks_zero3

_MARKS = ("ds_id", "ds_status", "ds_tensor", "ds_numel", "ds_shape")


def uneven_gathers(project: Project) -> list[Divergence]:
    """Those at tests on the rank where no other collective is told of. A gather behind tests that ZeRO-3
    passes is certain. Use through `project.get(uneven_gathers)`."""
    told = {(d.frame.function, d.at) for found in (plain, saves) for d in project.get(found)}
    return [
        replace(d, then=_settled(project, d.then), orelse=_settled(project, d.orelse))
        for d in project.get(gathers)
        if d.side is not None and d.cause in (Cause.ARM, Cause.LEAVE, Cause.DECORATOR)
        if (d.frame.function, d.at) not in told
    ]


def _settled(project: Project, letters: tuple[Letter, ...]) -> tuple[Letter, ...]:
    return tuple(replace(x, maybe=False) if x.maybe and _sure(project, x) else x for x in letters)


def _sure(project: Project, letter: Letter) -> bool:
    """Do only tests on ZeRO-3 stand on the way to a gather in other functions?"""
    for edge, inner in zip(letter.via, [*letter.via[1:], None]):
        called = [e for e in project.graph.edges[edge.caller] if e.site is edge.site]
        function = edge.callee.function
        node = inner.call if inner is not None else _at(project, function, letter)
        if len(called) > 1 or node is None:
            return False
        tests = flow_of(project, function).tests(node)
        if not all(outcome and _means_zero3(project, t.test, function) for t, outcome in tests):
            return False
    return True


def _at(project: Project, function: str, letter: Letter) -> ast.Call | None:
    path = function.partition("::")[0]
    calls = project.index.function(function).body.calls
    return next((node_of(c) for c in calls if project.place(path, c) == letter.at), None)


def _means_zero3(project: Project, test: ast.expr, function: str) -> bool:
    """Is it true of each parameter that ZeRO-3 cuts up?"""
    return all(_mark(part) or asks_zero3(project, part, function) for part in _parts(test))


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _parts(value)
    else:
        yield test


def _mark(test: ast.expr) -> bool:
    """`hasattr(param, "ds_id")`, or a comparison of its `ds_status`."""
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "hasattr":
        named = test.args[-1] if test.args else None
        return isinstance(named, ast.Constant) and named.value in _MARKS
    left = test.left if isinstance(test, ast.Compare) else None
    return isinstance(left, ast.Attribute) and left.attr in _MARKS
