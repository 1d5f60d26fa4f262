"""What reports of the call graph ask of its edges: the one place that knows how calls are kept in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.project.calls import CallGraph, Edge, Unresolved
from mmcodemod.project.frame import Frame


def is_import(edge: Edge) -> bool:
    """Does it run a module's code, without a call?"""
    return edge.call is None


def library_calls(graph: CallGraph, frame: Frame) -> Iterator[tuple[str, int]]:
    """The library functions that a frame calls, with the lines."""
    return ((name, call.lineno) for name, call in graph.external.get(frame, ()))


def trusting_calls(graph: CallGraph, frame: Frame) -> Iterator[tuple[str, int]]:
    """Those of them that are given `trust_remote_code=True`."""
    for name, call in graph.external.get(frame, ()):
        if any(_trusts(keyword) for keyword in call.keywords):
            yield name, call.lineno


def line_of(call: Unresolved) -> int:
    """The line of a call that was not resolved."""
    return call.call.lineno


def callee_of(call: Unresolved) -> ast.expr:
    """What is called there."""
    return call.call.func


def _trusts(keyword: ast.keyword) -> bool:
    value = keyword.value
    return keyword.arg == "trust_remote_code" and isinstance(value, ast.Constant) and value.value is True
