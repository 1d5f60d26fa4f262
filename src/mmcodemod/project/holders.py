"""Where code names what a name or an attribute of its objects holds: the places that may change it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.outline import MODULE
from mmcodemod.facts.syntax import children
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.values import Instance

Parents = dict[ast.AST, ast.AST]


def occurrences(project: Project, holder: Origin) -> Iterator[tuple[ast.expr, Parents]] | None:
    """Each with the nodes around it; None where others may hold it as well."""
    if isinstance(holder.expr, ast.Name):
        return _of_name(project, holder.expr.id, holder.function)
    return (
        _of_attribute(project, holder.expr, holder.function)
        if isinstance(holder.expr, ast.Attribute)
        else None
    )


def _of_name(project: Project, name: str, function: str) -> Iterator[tuple[ast.expr, Parents]] | None:
    """In the outermost function that has the name; of a module's own, in the whole file."""
    scope = _scope(project, name, function)
    if scope is None:
        return None
    parents = around(scope)
    return ((n, parents) for n in parents if isinstance(n, ast.Name) and n.id == name)


def _scope(project: Project, name: str, function: str) -> ast.AST | None:
    """The function that binds the name, or the module; None where the module has it from another one."""
    facts = project.index.function(function)
    while facts.qualname != MODULE:
        if name in project.resolver.body(facts.id).names or name in facts.parameters.names:
            return facts.node
        facts = project.index.function(f"{facts.path}::{facts.parent}")
    file = project.index.files[facts.path]
    return None if file.imported(name) else file.tree


def _of_attribute(project: Project, expr: ast.Attribute, function: str) -> Iterator[tuple[ast.expr, Parents]]:
    """Of objects of the same class, in all code of the tree."""
    owners = {v.cls for v in project.values(expr.value, function) if isinstance(v, Instance)}
    for facts in project.mentioning(f".{expr.attr}"):
        parents: Parents = {}
        for node in own_nodes(facts.node):
            if isinstance(node, ast.Attribute) and node.attr == expr.attr:
                values = project.values(node.value, facts.id)
                if owners.intersection(v.cls for v in values if isinstance(v, Instance)):
                    parents = parents or around(facts.node)
                    yield node, parents


def around(scope: ast.AST) -> Parents:
    """The parent of each node below."""
    found: Parents = {}
    todo = [scope]
    while todo:
        node = todo.pop()
        below = list(children(node))
        found.update((child, node) for child in below)
        todo += below
    return found
