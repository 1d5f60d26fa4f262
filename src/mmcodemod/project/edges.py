"""What reports of the call graph ask of its edges: the one place that knows how calls are kept in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.terms import Constant, Keyword
from mmcodemod.project.callgraph import CallGraph, Edge, Unresolved
from mmcodemod.project.frame import Frame


def is_import(edge: Edge) -> bool:
    """Does it run a module's code, without a call?"""
    return edge.site is None


def library_calls(graph: CallGraph, frame: Frame) -> Iterator[tuple[str, int]]:
    """The library functions that a frame calls, with the lines."""
    return ((found.name, found.site.lineno) for found in graph.external.get(frame, ()))


def trusting_calls(graph: CallGraph, frame: Frame) -> Iterator[tuple[str, int]]:
    """Those of them that are given `trust_remote_code=True`."""
    for found in graph.external.get(frame, ()):
        if any(_trusts(keyword) for keyword in found.site.keywords):
            yield found.name, found.site.lineno


def line_of(call: Unresolved) -> int:
    """The line of a call that was not resolved."""
    return call.site.lineno


def callee_of(call: Unresolved) -> ast.expr:
    """What is called there."""
    return call.call.func


def _trusts(keyword: Keyword) -> bool:
    value = keyword.value
    return keyword.arg == "trust_remote_code" and isinstance(value, Constant) and value.value is True
