"""Calls that a run comes by only where it fails, or is sent a signal: those of `except` branches, and what
`signal.signal` is given. Failures that an `except` branch takes."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.flow import EXITS, flow_of, holds
from mmcodemod.project.model import Project

_SIGNALS = "signal.signal"
_ANY = ("Exception", "BaseException")


def on_failure(project: Project, edge: Edge) -> bool:
    """Must: does only a failure or a signal lead from the caller to the callee?"""
    caller = edge.caller.function
    if edge.site is None or caller.startswith("<"):
        return False
    return _SIGNALS in project.names(edge.site.func, caller) or caught(project, caller, edge.call)


def caught(project: Project, function: str, node: ast.AST) -> bool:
    """Does it stand in an `except` branch of its function?"""
    tries = (n for n in own_nodes(project.index.function(function).node) if isinstance(n, ast.Try))
    return any(node is inner for t in tries for handler in t.handlers for inner in walk(handler))


def taken_by(project: Project, function: str, node: ast.AST, error: str) -> ast.ExceptHandler | None:
    """The `except` branch of its function that takes a failure of this kind at a place and goes on."""
    for around in flow_of(project, function).around(node):
        if isinstance(around, ast.Try) and any(holds(statement, node) for statement in around.body):
            handler = next((h for h in around.handlers if _takes(h, error)), None)
            if handler is not None:
                return None if any(_gives_up(n) for n in walk(handler)) else handler
    return None


def _takes(handler: ast.ExceptHandler, error: str) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or bare_name(kind) in (error, *_ANY) for kind in kinds)


def _gives_up(node: ast.AST) -> bool:
    ends = isinstance(node, ast.Call) and unparse(node.func) in EXITS
    return ends or isinstance(node, ast.Raise)
