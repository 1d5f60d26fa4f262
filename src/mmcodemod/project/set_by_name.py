"""Functions that put things into samples or batches under names of their own: `for name in self.kinds:
sample.setdefault(name, blank)`. May-analysis: it may set any key, or those that the names may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.project.modality import Scope, data_roots, scope_of
from mmcodemod.project.model import Project
from mmcodemod.project.values import Text

_Turns = ast.For | ast.ListComp | ast.DictComp | ast.GeneratorExp


def may_set_by_name(project: Project, facts: FunctionFacts, key: str) -> bool:
    """May the function set a key in a loop over names that no sample gives it?"""
    return any(not names or key in names for names in project.once(_names, facts.id))


def _names(project: Project, function: str) -> list[frozenset[str]]:
    """For each such loop the names that it may go over; none where they do not show."""
    facts = project.index.function(function)
    scope = scope_of(facts, project.resolver.body(function))
    turns = [n for n in own_nodes(facts.node) if isinstance(n, _Turns)]
    own = [(n, each) for n in turns for each in _gone_over(n) if _of_its_own(each[1], scope)]
    return [_texts(project, facts, name) for node, (target, _) in own for name in _keys(node, target)]


def _of_its_own(over: ast.expr, scope: Scope) -> bool:
    """Names that are written out, or kept by an object or a module: not those of samples, or of a dict that
    the function fills."""
    if data_roots(over, scope):
        return False
    shown = [scope.stands_for(n) for n in scope.names_in(over) if n in scope.body.names]
    return all(isinstance(expr, (ast.Tuple, ast.List, ast.Set, ast.Attribute)) for expr in shown)


def _gone_over(node: _Turns) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.For):
        yield node.target, node.iter
    else:
        yield from ((each.target, each.iter) for each in node.generators)


def _keys(node: _Turns, target: ast.expr) -> list[ast.Name]:
    """The names of a target under which the loop puts something."""
    given = {n.id for n in walk(target) if isinstance(n, ast.Name)}
    return [n for n in _puts(node) if isinstance(n, ast.Name) and n.id in given]


def _puts(node: _Turns) -> Iterator[ast.expr]:
    if isinstance(node, ast.DictComp):
        yield node.key
    for part in walk(node):
        match part:
            case ast.Subscript(slice=key, ctx=ast.Store()):
                yield key
            case ast.Call(func=ast.Attribute(attr="setdefault"), args=[key, _]):
                yield key


def _texts(project: Project, facts: FunctionFacts, name: ast.Name) -> frozenset[str]:
    values = (v for frame in project.frames(facts.id)[:1] for v in project.resolver.infer(name, frame))
    return frozenset(str(v.value) for v in values if isinstance(v, Text))
