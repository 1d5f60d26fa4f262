"""What an expression reads, and the shape of a test, as plain tuples: names, dotted names, call ordinals."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from mmcodemod.facts.decided import decided
from mmcodemod.facts.syntax import children

Atom = Any  # "name", "dotted.name", the ordinal of a call, or a word in quotes ("'RANK'") that is a key
Reads = tuple[Atom, ...]
Form = tuple[Any, ...]
Others = Mapping[tuple[int, int], str]
# ("not", form) | ("and", form, ...) | ("or", form, ...) | ("is", reads, operator, constant) | ("true", reads)
# Operators: == != < <= > >= in "not in" has "has not" (the last four with the constant on either side).

_OPERATORS: dict[type, str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "==",
    ast.IsNot: "!=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.In: "in",
    ast.NotIn: "not in",
}
_MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_CONTAINS = {"in": "has", "not in": "has not"}
COMPUTED: tuple[Any, ...] = ()  # stands for the constant where the left side is computed (`rank % 8 == 0`)
MAX_KEY = 40  # characters of a text that is kept as a key
_SCOPES = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Reader:
    """`ordinals` gives the ordinal of a call node by its identity, `others` the name of its own for a name
    that another value has, too, by line and column."""

    def __init__(self, ordinals: Mapping[int, int], others: Others | None = None) -> None:
        self._ordinals = ordinals
        self._others = others or {}

    def name(self, node: ast.expr) -> str:
        """`a.b.c` as text, "" when it does not start at a name."""
        dotted = dotted_name(node)
        if not self._others or not dotted:
            return dotted
        first, point, rest = dotted.partition(".")
        return f"{self._others.get((node.lineno, node.col_offset), first)}{point}{rest}"

    def reads(self, node: ast.AST) -> Reads:
        """Names and calls that the value of an expression is made of, in source order, without repetition."""
        return tuple(dict.fromkeys(self._atoms(node)))

    def test(self, node: ast.expr) -> Form:
        """The shape of a test of a statement: it reads nothing where it comes out one way in any case."""
        return ("true", ()) if decided(node) is not None else self.form(node)

    def form(self, node: ast.expr) -> Form:
        """The shape of a test, or of a value: `x or 1` is true in any case, but not the same."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ("not", self.form(node.operand))
        if isinstance(node, ast.BoolOp):
            return self.joined(node.op, node.values)
        if isinstance(node, ast.NamedExpr):
            return self.form(node.value)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "bool"
            and node.args
        ):
            return self.form(node.args[0])
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compare(node)
        return ("true", self.reads(node))

    def joined(self, op: ast.boolop, values: list[ast.expr]) -> Form:
        """Several tests joined by `and` or `or`."""
        forms = tuple(self.form(value) for value in values)
        return forms[0] if len(forms) == 1 else ("and" if isinstance(op, ast.And) else "or", *forms)

    def _compare(self, node: ast.Compare) -> Form:
        operator = _OPERATORS.get(node.ops[0].__class__, "")
        right = _constant(node.comparators[0])
        if right is not None:
            plain = not isinstance(node.left, ast.BinOp)
            return ("is", self.reads(node.left), operator, right[0] if plain else COMPUTED)
        left = _constant(node.left)
        if left is not None:
            mirrored = _CONTAINS.get(operator) or _MIRRORED.get(operator, operator)
            return ("is", self.reads(node.comparators[0]), mirrored, left[0])
        return ("true", self.reads(node))

    def _atoms(self, node: ast.AST) -> Iterator[Atom]:
        if isinstance(node, (ast.Name, ast.Attribute)):
            dotted = self.name(node)
            if dotted:
                yield dotted
            elif isinstance(node, ast.Attribute):
                yield from self._atoms(node.value)
        elif isinstance(node, ast.Call):
            if id(node) in self._ordinals:
                yield self._ordinals[id(node)]
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and len(node.value) <= MAX_KEY and node.value.isidentifier():
                yield repr(node.value)
        elif not isinstance(node, _SCOPES):
            for child in children(node):
                yield from self._atoms(child)


def dotted_name(node: ast.expr) -> str:
    """`a.b.c` as text, "" when it does not start at a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _constant(node: ast.expr) -> tuple[Any] | None:
    """The value of a number, text, None or a tuple of such, wrapped; None when it is anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _constant(node.operand)
        return (-inner[0],) if inner and isinstance(inner[0], (int, float)) else None
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str, type(None))):
        return (node.value,)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        parts = [_constant(element) for element in node.elts]
        return None if None in parts else (tuple(p[0] for p in parts if p),)
    return None
