"""Tests that ask whether anything of a modality was gathered from samples of which some may have none, under
any name: `values = [s["pixel_values"] for s in samples if "pixel_values" in s]`, `if values:`."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.project.modality import MODALITY, Scope, data_roots


def asks_for_gathered(test: ast.expr, scope: Scope) -> bool:
    """Does a test ask whether such a list is empty?"""
    sources = list(scope.body.names.get(_counted(test), ()))
    gathers = len(sources) == 1 and sources[0].via is Via.VALUE and _gathers(sources[0].expr)
    return gathers and bool(data_roots(sources[0].expr, scope))


def _counted(test: ast.expr) -> str:
    """`x` of `x`, `not x`, `len(x)`, `len(x) > 0`"""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _counted(test.operand)
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Call):
        zero = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value == 0
        return _counted(test.left) if zero else ""
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "len" and test.args:
        return _counted(test.args[0])
    return test.id if isinstance(test, ast.Name) else ""


def _gathers(value: ast.expr) -> bool:
    """A list with a filter, of what samples have under a key of a modality."""
    if not isinstance(value, ast.ListComp) or not any(g.ifs for g in value.generators):
        return False
    keys = [n.slice for n in own_nodes(value.elt) if isinstance(n, ast.Subscript)]
    return any(isinstance(k, ast.Constant) and MODALITY.search(str(k.value)) for k in keys)
