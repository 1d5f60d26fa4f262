"""Tests that come out one way whatever happens: `"image" or "video" in sample` begins with a text, which is
true. Their other operands, and the other side, never count."""

from __future__ import annotations

import ast

_DISPLAYS = (ast.List, ast.Tuple, ast.Set)


def decided(test: ast.expr) -> bool | None:
    """The only outcome of a test as far as it shows in its own text; None where it may be either."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = decided(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        return _joined(test)
    if isinstance(test, _DISPLAYS) and not any(isinstance(e, ast.Starred) for e in test.elts):
        return bool(test.elts)
    return None


def _joined(test: ast.BoolOp) -> bool | None:
    """One operand is enough for `or` when it is true, and for `and` when it is false."""
    outcomes = [decided(value) for value in test.values]
    enough = isinstance(test.op, ast.Or)
    if enough in outcomes:
        return enough
    return None if None in outcomes else not enough
