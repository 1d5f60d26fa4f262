"""Which keys of a batch a test on a modality asks for: its own, or those of what callers pass."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.project.arguments import argument, optional, spreads
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.modality import MODALITY, Atom, Scope, data_roots, scope_of
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

MAX_DEPTH = 6


def batch_key(project: Project, facts: FunctionFacts, atom: Atom) -> Iterator[str]:
    """The batch keys that an atom's variable comes from: itself when it is one, else what callers pass. Where
    some of them name a modality, only those."""
    if atom.key:
        yield atom.name
        return
    found = _keys_behind(project, facts, atom.name, 0)
    yield from [key for key in found if MODALITY.search(key)] or found


def keys_behind(project: Project, facts: FunctionFacts, name: str) -> list[str]:
    """The batch keys that a name comes from, also those that name no modality."""
    return list(_keys_behind(project, facts, name, 0))


def _keys_behind(project: Project, facts: FunctionFacts, name: str, depth: int) -> list[str]:
    """The keys behind a name, sought once: the callers of many functions pass the same ones on."""
    if depth > MAX_DEPTH:
        return []
    known = project.get(_known)
    asked = (facts.id, name, depth)
    if asked not in known:
        known[asked] = list(dict.fromkeys(_sought(project, facts, name, depth)))
    return known[asked]


def _known(project: Project) -> dict[tuple[str, str, int], list[str]]:
    """What is known of names at each depth; filled by `_keys_behind`."""
    return {}


def _sought(project: Project, facts: FunctionFacts, name: str, depth: int) -> Iterator[str]:
    scope = scope_of(facts, project.resolver.body(facts.id))
    made = [s.expr for s in scope.body.names.get(name, ())]
    if name in scope.parameters and not _stands_in(facts, name, made, scope):
        yield from _passed(project, facts, name, depth)
        return
    for expr in made:
        yield from _keys_in(expr)
        for root in sorted(data_roots(expr, scope) - {name}):
            yield from _keys_behind(project, facts, root, depth + 1)


def _stands_in(facts: FunctionFacts, name: str, made: list[ast.expr], scope: Scope) -> bool:
    """Is it a parameter that the function itself makes of others when it is not given?"""
    roots = [data_roots(expr, scope) for expr in made]
    return name in optional(facts) and any(found and name not in found for found in roots)


def _passed(project: Project, facts: FunctionFacts, name: str, depth: int) -> Iterator[str]:
    """The keys of what callers pass for a parameter; where it is spread, or nobody shows, its own name."""
    shown = False
    for edge in training_calls(project, facts):
        passed = argument(edge.call, facts, name)
        if passed is not None:
            shown = True
            yield from _through(project, edge.caller.function, passed, depth)
        elif spreads(edge.call):
            shown = True
            yield name
    if not shown and (not depth or MODALITY.search(name)):
        yield name


def training_calls(project: Project, facts: FunctionFacts) -> list[Edge]:
    """The calls of a function that training makes; all where it makes none: an evaluation has other data."""
    every = project.callers(facts.id)
    calls = [e for e in every if e.site is not None and not is_stub(e.caller.function)]
    return [e for e in calls if e.caller.function in project.trained] or calls


def _through(project: Project, caller: str, argument: ast.expr, depth: int) -> Iterator[str]:
    facts = project.index.function(caller)
    if isinstance(argument, ast.Name):
        yield from _keys_behind(project, facts, argument.id, depth + 1)
    else:
        yield from _keys_in(argument)


def _keys_in(expr: ast.expr) -> Iterator[str]:
    """The constant keys that an expression reads: not `k` in `data["k"].loader`, which is no tensor."""
    called = {id(n.func) for n in walk(expr) if isinstance(n, ast.Call)}
    todo: list[ast.AST] = [expr]
    while todo:
        part = todo.pop(0)
        if isinstance(part, ast.Attribute) and id(part) not in called:
            continue
        key = None
        if isinstance(part, ast.Subscript):
            key = part.slice
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.args:
            key = part.args[0] if part.func.attr in ("get", "pop") else None
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value
        todo += ast.iter_child_nodes(part)
