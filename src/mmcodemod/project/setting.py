"""A value that a setting may have, and what tests make of such values. May-analysis: UNKNOWN stands for
everything that does not show."""

from __future__ import annotations

import ast
from typing import Any

from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.project.origins import BOTH


class _Object:
    """Some object: true, and not None."""

    def __repr__(self) -> str:
        return "an object"


OBJECT = _Object()


@frozen()
class Setting:
    """A possible value; `flag` is the command-line flag that it belongs to, `given` says that the launch
    command (or its configuration) sets it."""

    value: Any
    at: Place | None = None
    flag: str = ""
    given: bool = False

    @property
    def told(self) -> str:
        """What the launch gives, or does not give."""
        return f"{self.name} is {self.value}" if self.given else f"no {self.name}"

    @property
    def name(self) -> str:
        """The flag as it is typed, a key of a configuration, or an argument by its name."""
        return self.flag if "." in self.flag or " " in self.flag else f"--{self.flag}"


def converted(kind: str, value: Any) -> Any:
    """What `float`, `int` or `bool` makes of a value."""
    try:
        return {"float": float, "int": int, "bool": bool}[kind](value)
    except (TypeError, ValueError):
        return UNKNOWN


def truth(value: Any) -> frozenset[bool]:
    """Whether a value may be true, and whether it may be false."""
    return BOTH if value is UNKNOWN else frozenset((bool(value),))


def outcomes(operator: ast.cmpop, left: Any, right: Any) -> frozenset[bool]:
    """What a comparison of two values may come to."""
    if left is UNKNOWN or right is UNKNOWN:
        return BOTH
    if isinstance(operator, (ast.Is, ast.IsNot)):
        return frozenset(((left is right) is isinstance(operator, ast.Is),))
    if left is OBJECT or right is OBJECT:
        return BOTH
    try:
        return frozenset((bool(_OPERATORS[operator.__class__](left, right)),))
    except (KeyError, TypeError):
        return BOTH


_OPERATORS: dict[type, Any] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
