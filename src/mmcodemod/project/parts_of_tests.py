"""What the outcome of a whole test says of its parts."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def parts_of(test: ast.expr, outcome: bool) -> Sequence[ast.expr]:
    """What must all come out like the whole."""
    joined = ast.And if outcome else ast.Or
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, joined) else (test,)
