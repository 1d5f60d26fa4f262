"""Stores of an attribute that come only after it was read: `args.x = f(args.x)`, and `args.x = f()` under
`if args.x:`: they are not what makes it. Must-analysis of one statement."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.project.sure_steps import sure_attributes


def read_first(tree: ast.AST, name: str) -> frozenset[int]:
    """The ids of the attributes of that name which are stored so."""
    return frozenset(id(stored) for node in walk(tree) for stored in _of(node, name))


def _of(node: ast.AST, name: str) -> Iterator[ast.Attribute]:
    if isinstance(node, ast.Assign):
        yield from _stores(node.targets, _asked(node.value, name))
    elif isinstance(node, (ast.If, ast.While)):
        yield from _stores([*node.body, *node.orelse], _asked(node.test, name))


def _asked(expr: ast.expr, name: str) -> set[str]:
    """The objects that are surely asked for the attribute."""
    return {unparse(read.value) for read in sure_attributes(expr) if read.attr == name}


def _stores(nodes: Iterable[ast.AST], objects: Container[str]) -> Iterator[ast.Attribute]:
    """The attributes of some objects that are stored in some nodes."""
    inner = (n for node in nodes for n in walk(node)) if objects else ()
    stored = (n for n in inner if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    return (n for n in stored if unparse(n.value) in objects)
