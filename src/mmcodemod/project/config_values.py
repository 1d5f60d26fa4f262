"""Expressions of configurations that are Python modules, worked out as far as their text alone tells: names,
arithmetic, `dict(...)`, f-strings. Nothing is run; what is not understood is UNKNOWN."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.option import UNKNOWN, Scalar, Special
from mmcodemod.model.place import Place

MAX_DEPTH = 40
MAX_TEXT = 10_000  # characters of a text that the configuration works out

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"int": int, "float": float, "str": str, "bool": bool}

Settings = dict[str, "Value"]


class ModuleValues(Settings):
    """What the names of a module hold."""


@frozen()
class Value:
    """What stands at a place: a scalar, UNKNOWN, the settings of a `dict(...)`, or the items of a list."""

    content: Scalar | Special | Settings | tuple[Value, ...]
    at: Place

    @property
    def scalar(self) -> Scalar | Special:
        """The content, UNKNOWN for a dictionary or a list."""
        return UNKNOWN if isinstance(self.content, (dict, tuple)) else self.content


@mutable()
class Names:
    """The names that statements of the file `path` have given values so far."""

    path: str
    known: Settings = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)  # name -> dotted name

    def value(self, node: ast.expr, depth: int = 0) -> Value:
        """What an expression comes to."""
        if depth > MAX_DEPTH:
            return Value(UNKNOWN, self.at(node))
        match node:
            case ast.Constant(value=str() | int() | float() | bool() | None as constant):
                return Value(constant, self.at(node))
            case ast.Name(id=name):
                dotted = self.imported.get(name)
                return self.known.get(name) or Value(dotted if dotted else UNKNOWN, self.at(node))
            case ast.Attribute():
                return Value(self._dotted(node), self.at(node))
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
                return self.settings(keywords, node)
            case ast.Call(func=ast.Name() | ast.Attribute(), args=[], keywords=[_, *_] as keywords) if (
                isinstance(made := self._class(node.func), str)
            ):
                given = self.settings(keywords, node)
                named = {"type": Value(made, self.at(node))}
                return (
                    replace(given, content={**named, **given.content})
                    if isinstance(given.content, dict)
                    else given
                )
            case ast.Dict():
                return self._display(node, depth)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return Value(tuple(self.value(i, depth + 1) for i in items), self.at(node))
        return Value(self._worked_out(node, depth), self.at(node))

    def _class(self, node: ast.expr) -> Scalar | Special:
        """The dotted name of an imported class: `Config(...)` says the same as `dict(type=Config)`."""
        found = self.imported.get(node.id, UNKNOWN) if isinstance(node, ast.Name) else self._dotted(node)
        return found if isinstance(found, str) and found.rpartition(".")[2][:1].isupper() else UNKNOWN

    def _dotted(self, node: ast.expr) -> Scalar | Special:
        """`torch.bfloat16` of an imported module."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        root = self.imported.get(node.id) if isinstance(node, ast.Name) else None
        return ".".join([root, *parts]) if root else UNKNOWN

    def _worked_out(self, node: ast.expr, depth: int) -> Scalar | Special:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self.value(operand, depth + 1).scalar
                return -number if isinstance(number, (int, float)) else UNKNOWN
            case ast.BinOp(left=left, op=op, right=right):
                return _calculated(
                    op, self.value(left, depth + 1).scalar, self.value(right, depth + 1).scalar
                )
            case ast.Call(func=ast.Name(id=name), args=[arg], keywords=[]) if name in _CONVERSIONS:
                return _converted(_CONVERSIONS[name], self.value(arg, depth + 1).scalar)
            case ast.JoinedStr(values=parts):
                return self._formatted(parts, depth)
        return UNKNOWN

    def _formatted(self, parts: list[ast.expr], depth: int) -> Scalar | Special:
        """An f-string whose parts are known and not specially formatted."""
        texts: list[str] = []
        for part in parts:
            plain = isinstance(part, ast.FormattedValue) and part.conversion == -1 and not part.format_spec
            inner = part.value if isinstance(part, ast.FormattedValue) and plain else part
            known = self.value(inner, depth + 1).scalar
            if isinstance(known, Special):
                return UNKNOWN
            texts.append(str(known))
        return "".join(texts)[:MAX_TEXT]

    def settings(self, keywords: list[ast.keyword], node: ast.expr) -> Value:
        """`dict(a=1, **other)`."""
        settings: Settings = {}
        for keyword in keywords:
            value = self.value(keyword.value, 1)
            if keyword.arg is not None:
                settings[keyword.arg] = value
            elif isinstance(value.content, dict):
                settings |= value.content
            else:
                return Value(UNKNOWN, self.at(node))
        return Value(settings, self.at(node))

    def _display(self, node: ast.Dict, depth: int) -> Value:
        settings: Settings = {}
        for key, item in zip(node.keys, node.values):
            value = self.value(item, depth + 1)
            name = self.value(key, depth + 1).scalar if key is not None else None
            if key is None and isinstance(value.content, dict):
                settings |= value.content
            elif key is None or isinstance(name, Special):
                return Value(UNKNOWN, self.at(node))
            else:
                settings[str(name)] = value
        return Value(settings, self.at(node))

    def at(self, node: ast.expr | ast.stmt) -> Place:
        return Place(self.path, node.lineno)


def _calculated(op: ast.operator, left: Scalar | Special, right: Scalar | Special) -> Scalar | Special:
    """The result of arithmetic on small numbers, or of joining texts; UNKNOWN for anything else."""
    numbers = all(isinstance(v, (int, float)) and abs(v) < 1e15 for v in (left, right))
    texts = isinstance(op, ast.Add) and isinstance(left, str) and isinstance(right, str)
    large = isinstance(op, ast.Pow) and isinstance(right, (int, float)) and abs(right) > 64
    calculate = _OPERATORS.get(type(op))
    if calculate is None or large or not (numbers or texts):
        return UNKNOWN
    try:
        result = calculate(left, right)
    except (ArithmeticError, ValueError, TypeError):
        return UNKNOWN
    if isinstance(result, str):
        return result[:MAX_TEXT]
    return result if isinstance(result, (int, float)) else UNKNOWN


def _converted(convert: Callable[[Any], Any], value: Scalar | Special) -> Scalar | Special:
    if isinstance(value, Special):
        return UNKNOWN
    try:
        result: Scalar = convert(value)
    except (ArithmeticError, ValueError, TypeError):
        return UNKNOWN
    return result
