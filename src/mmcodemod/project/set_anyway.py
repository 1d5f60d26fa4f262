"""Statements that put a key into a batch whatever the samples hold, beside one that does so under a test:
`batch["images"] = blank` before `if images: batch["images"] = images`. Must-analysis on one function."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.project.flow import Flow
from mmcodemod.project.modality_keys import is_none, pairs_put

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_CHOOSE = (ast.IfExp, ast.BoolOp)


def set_anyway(flow: Flow, key: str, line: int) -> bool:
    """Does a statement on another line set the key, under no test and in no loop?"""
    others = (s for s in flow.statements if isinstance(s, _SIMPLE) and s.lineno != line)
    return any(key in _put(s) and not flow.tests(s) and flow.loop_of(s) is None for s in others)


def _put(statement: ast.stmt) -> set[object]:
    """The keys that a statement surely gives something other than None."""
    if any(isinstance(n, _CHOOSE) for n in own_nodes(statement)):
        return set()
    return {key for node in own_nodes(statement) for key, value in pairs_put(node) if not is_none(value)}
