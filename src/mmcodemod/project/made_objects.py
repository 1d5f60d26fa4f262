"""Where an object of a program comes from: the calls that make it, and the names that it is given at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.model.frozen import frozen


@frozen()
class Made:
    """`calls` of the file `home` make the object. Where they return several, `item` says which it is."""

    home: str
    calls: tuple[ast.Call, ...]
    item: int | None = None

    def returned_by(self, expr: ast.expr) -> bool:
        """Does a call return the object, or several with it?"""
        return any(expr is call for call in self.calls)

    def is_made(self, expr: ast.expr) -> bool:
        """Is an expression the object: the call, or the item of what it returns?"""
        if self.item is None or not isinstance(expr, ast.Subscript):
            return self.item is None and self.returned_by(expr)
        index = expr.slice
        return self.returned_by(expr.value) and isinstance(index, ast.Constant) and index.value == self.item

    def targets(self, statement: ast.stmt) -> Iterator[ast.expr]:
        """What an assignment gives the object to."""
        if not isinstance(statement, ast.Assign):
            return
        for target in statement.targets:
            if self.is_made(statement.value):
                yield target
            elif self.item is not None and self.returned_by(statement.value):
                yield from _at(target, self.item)


def _at(target: ast.expr, item: int) -> Iterator[ast.expr]:
    """The target of one of several values; none where a star takes values before it."""
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    if not any(isinstance(part, ast.Starred) for part in parts[: item + 1]):
        yield from parts[item : item + 1]
