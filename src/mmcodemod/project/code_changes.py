"""What in a piece of code may change the dictionaries that it names. May-analysis on the syntax alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import SCOPES, walk

READS = ("get", "keys", "values", "items", "copy", "format", "join", "split", "__contains__")
HARMLESS = (
    *("print", "len", "str", "repr", "dict", "list", "type", "bool", "isinstance", "sorted"),
    *("dumps", "dump", "copy", "deepcopy", "pprint", "info", "debug", "warning", "log", "initialize"),
)
"""Functions that change nothing of what they are given."""
_MAYBE = (ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Lambda, ast.comprehension)
_MAYBE_ALL = (*_MAYBE, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def own_expressions(node: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a simple statement, what is evaluated first before what needs it."""
    for child in ast.iter_child_nodes(node):
        yield from _inner_first(child)


def _inner_first(node: ast.AST) -> Iterator[ast.AST]:
    if not passed_by(node):
        for child in ast.iter_child_nodes(node):
            yield from _inner_first(child)
    yield node


def passed_by(node: ast.AST) -> bool:
    """Is it an expression of which a part may run or not, or several times?"""
    return isinstance(node, _MAYBE_ALL)


def may_change(node: ast.AST) -> bool:
    """May what stands there change a dictionary at all?"""
    return any(_changes(inner) for inner in walk(node))


def _changes(node: ast.AST) -> bool:
    if isinstance(node, (ast.Subscript, ast.Attribute)):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr not in (*READS, *HARMLESS)
    return isinstance(node, ast.AugAssign)


def changed_by_functions(nodes: Iterable[ast.stmt]) -> set[str]:
    """The names of a module whose dictionaries functions of it may change."""
    functions = [n for node in nodes for n in walk(node) if isinstance(n, SCOPES)]
    return {name for function in functions for name in _outer(function)}


def _outer(function: ast.AST) -> Iterator[str]:
    """The names that a function changes, or hands on, and does not bind itself."""
    nodes = list(walk(function))
    outer = {name for n in nodes if isinstance(n, ast.Global) for name in n.names}
    own = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    own |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    for node in nodes:
        yield from (name for name in touched_by(node) if name not in own - outer)
    yield from outer


def touched_by(node: ast.AST) -> Iterator[str]:
    """The names at which a store or a method begins, and those that a function is given which is no class."""
    if isinstance(node, ast.Call):
        name = bare_name(node.func)
        if name not in HARMLESS and not name[:1].isupper():
            given = (*node.args, *(k.value for k in node.keywords))
            yield from (a.id for a in given if isinstance(a, ast.Name))
    if _changes(node):
        place = node.func if isinstance(node, ast.Call) else getattr(node, "target", node)
        while isinstance(place, (ast.Attribute, ast.Subscript)):
            place = place.value
        if isinstance(place, ast.Name):
            yield place.id
