"""What the language itself calls: operators, subscripts, loops and `with` as calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

_BINARY: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip
_UNARY: dict[type, str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}
_COMPARED: dict[type, str] = {
    ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__",
    ast.GtE: "__ge__", ast.In: "__contains__", ast.NotIn: "__contains__",
}  # fmt: skip

# Builtins and the methods of their arguments that they call: the first that there is.
BUILTIN_METHODS: dict[str, tuple[tuple[str, ...], ...]] = {
    "len": (("__len__",),), "str": (("__str__", "__repr__"),), "print": (("__str__", "__repr__"),),
    "repr": (("__repr__",),), "bool": (("__bool__", "__len__"),), "abs": (("__abs__",),),
    "int": (("__int__",),), "float": (("__float__",),), "hash": (("__hash__",),), "next": (("__next__",),),
    "iter": (("__iter__", "__getitem__"),), "reversed": (("__reversed__", "__len__"),),
}  # fmt: skip
_BUILDING = ("list", "tuple", "set", "frozenset", "dict", "sorted", "enumerate", "zip", "map", "filter")
ITERATING = frozenset((*_BUILDING, "sum", "any", "all", "min", "max"))


def implied(node: ast.AST, wanted: frozenset[str]) -> Iterator[ast.Call]:
    """The calls of `wanted` methods that a node stands for."""
    handler = _HANDLERS.get(node.__class__)
    if handler is not None:
        yield from (c for c in handler(node) if c.func.attr in wanted)  # type: ignore[attr-defined]


def method_call(base: ast.expr, name: str, *args: ast.expr) -> ast.Call:
    """`base.name(*args)`, placed where `base` stands."""
    func = ast.copy_location(ast.Attribute(base, name, ast.Load()), base)
    return ast.copy_location(ast.Call(func, list(args), []), base)


def _operator(node: ast.BinOp) -> Iterator[ast.Call]:
    name = _BINARY[node.op.__class__]
    yield method_call(node.left, f"__{name}__", node.right)
    yield method_call(node.right, f"__r{name}__", node.left)


def _augmented(node: ast.AugAssign) -> Iterator[ast.Call]:
    name = _BINARY[node.op.__class__]
    yield method_call(node.target, f"__i{name}__", node.value)
    yield method_call(node.target, f"__{name}__", node.value)


def _unary(node: ast.UnaryOp) -> Iterator[ast.Call]:
    if node.op.__class__ in _UNARY:
        yield method_call(node.operand, _UNARY[node.op.__class__])


def _compare(node: ast.Compare) -> Iterator[ast.Call]:
    left = node.left
    for operator, right in zip(node.ops, node.comparators):
        name = _COMPARED.get(operator.__class__)
        if name == "__contains__":
            yield method_call(right, name, left)
        elif name is not None:
            yield method_call(left, name, right)
        left = right


def _subscript(node: ast.Subscript) -> Iterator[ast.Call]:
    names = {ast.Load: "__getitem__", ast.Store: "__setitem__", ast.Del: "__delitem__"}
    yield method_call(node.value, names[node.ctx.__class__], node.slice)


def iteration(base: ast.expr) -> Iterator[ast.Call]:
    """What a loop over `base` calls."""
    iterator = method_call(base, "__iter__")
    yield iterator
    yield method_call(iterator, "__next__")
    yield method_call(base, "__getitem__")


def _loop(node: ast.For | ast.AsyncFor | ast.comprehension) -> Iterator[ast.Call]:
    yield from iteration(node.iter)
    yield method_call(node.iter, "__aiter__")
    yield method_call(method_call(node.iter, "__aiter__"), "__anext__")


def _with(node: ast.With | ast.AsyncWith) -> Iterator[ast.Call]:
    names = ("__enter__", "__exit__") if isinstance(node, ast.With) else ("__aenter__", "__aexit__")
    for item in node.items:
        for name in names:
            yield method_call(item.context_expr, name)


def _formatted(node: ast.FormattedValue) -> Iterator[ast.Call]:
    yield method_call(node.value, "__repr__" if node.conversion == ord("r") else "__str__")


_HANDLERS: dict[type, Callable[[Any], Iterator[ast.Call]]] = {
    ast.BinOp: _operator,
    ast.AugAssign: _augmented,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.Subscript: _subscript,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.comprehension: _loop,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.FormattedValue: _formatted,
}
