"""Calls that a run comes by only where it fails, or is sent a signal: those of `except` branches, and what
`signal.signal` is given."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.model import Project

_SIGNALS = "signal.signal"


def on_failure(project: Project, edge: Edge) -> bool:
    """Must: does only a failure or a signal lead from the caller to the callee?"""
    caller = edge.caller.function
    if edge.site is None or caller.startswith("<"):
        return False
    return _SIGNALS in project.names(edge.site.func, caller) or caught(project, caller, edge.call)


def caught(project: Project, function: str, node: ast.AST) -> bool:
    """Does it stand in an `except` branch of its function?"""
    tries = (n for n in own_nodes(project.index.function(function).node) if isinstance(n, ast.Try))
    return any(node is inner for t in tries for handler in t.handlers for inner in ast.walk(handler))
