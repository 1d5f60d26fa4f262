"""Stores into a place of a list (`models[i] = prepare(models[i])`): they change what it holds, never how
much. Must-analysis: a key that may be new (that of a dict) is no place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.nodes import NodeBody, NodeSource
from mmcodemod.facts.reads import Form, Reader, Reads, dotted_name
from mmcodemod.project.model import Project

Stored = tuple[str, Reads, Form]


def positional(project: Project, function: str) -> frozenset[Stored]:
    """The target, reads and form of each such store of a function."""
    known = project.get(_known)
    if function not in known:
        known[function] = frozenset(_stores(project, function))
    return known[function]


def _known(project: Project) -> dict[str, frozenset[Stored]]:
    return {}


def _stores(project: Project, function: str) -> Iterator[Stored]:
    body = project.resolver.body(function)
    reader = Reader({id(call): n for n, call in enumerate(body.calls)})
    for node in own_nodes(project.index.function(function).node):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and _is_position(target.slice, body):
                    yield dotted_name(target.value), reader.reads(node.value), reader.form(node.value)


def _is_position(key: ast.expr, body: NodeBody) -> bool:
    """Is it a number from `range` or `enumerate`?"""
    sources = body.names.get(key.id, ()) if isinstance(key, ast.Name) else ()
    return bool(sources) and all(counts(source) for source in sources)


def counts(source: NodeSource) -> bool:
    """Is it the number of a round of a loop: of `range`, or the first of `enumerate`?"""
    call = source.expr
    name = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
    whole = name == "range" and source.index < 0
    return source.via is Via.ELEMENT and (whole or (name == "enumerate" and source.index == 0))
