"""Tests that ask no more than whether something is there, and what takes something from a batch: by their
form alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk


def whether_there(node: ast.expr) -> str:
    """The name, or the text of the batch, of which a test asks that; "" of other tests: `x`, `x is None`,
    `len(x) > 0`, `isinstance(x, Tensor)`, `"images" in batch`, `batch.get("images") is None`."""
    match node:
        case ast.Name(id=name) | ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot()]):
            return name
        case ast.Call(func=ast.Name(id="len" | "bool" | "isinstance"), args=[ast.Name(id=name), *_]):
            return name
        case ast.Compare(left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)])):
            return name
        case ast.Compare(left=ast.Constant(), ops=[ast.In() | ast.NotIn()], comparators=[holder]):
            return unparse(holder)
        case ast.Compare(left=inner, ops=[ast.Is() | ast.IsNot()]) if takes_key(inner):
            return unparse(inner)
        case ast.Call() if takes_key(node):
            return unparse(node)
    return ""


def takes_key(expr: ast.expr | None) -> bool:
    """`batch["images"]`, `batch.get("images")` and `batch["images"] if "images" in batch else None`"""
    match expr:
        case ast.Subscript(slice=ast.Constant()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="get" | "pop"), args=[ast.Constant(), *_]):
            return True
        case ast.IfExp(body=ast.Subscript(slice=ast.Constant()), orelse=ast.Constant(value=None)):
            return True
    return False


def words(expr: ast.expr) -> Iterator[str]:
    """The names and texts of an expression."""
    for part in walk(expr):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
