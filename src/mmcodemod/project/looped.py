"""Loops over what a dict or a list keeps, and which of it gets to a place in the loop. Must-analysis of the
tests on the way: one that asks for more than the key leaves it open."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.facts.syntax import walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.flow import flow_of, holds
from mmcodemod.project.model import Project

_ALL = ("values", "items")


@frozen()
class Looped:
    """`loop` gives a name each of what `held` keeps; `key` is the name that gets the key, "" without one.
    `by_key`: it goes over a dict."""

    held: ast.expr
    loop: ast.For
    key: str = ""
    by_key: bool = False


def looped(project: Project, function: str, source: NodeSource) -> Looped | None:
    """The loop that gives a name what a source says; None where it is no such loop."""
    statements = flow_of(project, function).statements if source.via is Via.ELEMENT else []
    loop = next((s for s in statements if isinstance(s, ast.For) and s.iter is source.expr), None)
    if loop is None or source.inner or source.starred:
        return None
    match loop.iter:
        case ast.Call(func=ast.Attribute(value=held, attr=method), args=[], keywords=[]) if method in _ALL:
            return _of_dict(held, loop, source.index, method)
        case ast.Call():
            return None
    return Looped(loop.iter, loop) if source.index < 0 else None


def _of_dict(held: ast.expr, loop: ast.For, index: int, method: str) -> Looped | None:
    if method == "values":
        return Looped(held, loop, by_key=True) if index < 0 else None
    names = loop.target.elts if isinstance(loop.target, ast.Tuple) else []
    if index != 1 or len(names) != 2 or not isinstance(names[0], ast.Name):
        return None
    return Looped(held, loop, names[0].id, by_key=True)


def picked(project: Project, function: str, found: Looped, node: ast.AST) -> ast.Constant | bool | None:
    """The one key with which a loop gets to a node that it holds; True where it does so with all, None where
    that does not show."""
    if not holds(found.loop, node) or _told_which(found.loop, node):
        return None
    ways = flow_of(project, function).tests(node)
    told = [_told(test.test, outcome, found.key) for test, outcome in ways if holds(found.loop, test)]
    keys = {key.value: key for key in told if key is not None}
    if None in told or len(keys) > 1:
        return None
    return next(iter(keys.values()), True)


def _told_which(loop: ast.For, node: ast.AST) -> bool:
    """Is a call that is given the node told of the round otherwise, too: `run(loader, name == "train")`"""
    inside = [n for statement in loop.body for n in walk(statement)]
    bound = {n.id for n in (*inside, *walk(loop.target)) if isinstance(n, ast.Name) and not _is_read(n)}
    for call in (n for n in inside if isinstance(n, ast.Call)):
        given = [*call.args, *(k.value for k in call.keywords)]
        others = [n for a in given if a is not node for n in walk(a)] if node in given else []
        if any(isinstance(n, ast.Name) and n.id in bound for n in others):
            return True
    return False


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _told(test: ast.expr, outcome: bool, name: str) -> ast.Constant | None:
    """The constant that a name has where a test comes out so."""
    match test:
        case ast.Compare(left=ast.Name(id=left), ops=[operator], comparators=[ast.Constant() as key]):
            if left == name and isinstance(operator, ast.Eq if outcome else ast.NotEq):
                return key
    return None
