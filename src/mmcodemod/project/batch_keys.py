"""Which keys of a batch a test on a modality asks for: its own, or those of what callers pass."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.project.arguments import argument
from mmcodemod.project.modality import Atom, scope_of
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub


def batch_key(project: Project, facts: FunctionFacts, atom: Atom) -> Iterator[str]:
    """The batch keys that an atom's variable comes from: itself when it is one, else what callers pass."""
    if atom.key:
        yield atom.name
        return
    yield from dict.fromkeys(_keys_behind(project, facts, atom.name, 0))


def _keys_behind(project: Project, facts: FunctionFacts, name: str, depth: int) -> Iterator[str]:
    scope = scope_of(facts, project.resolver.body(facts.id))
    if name not in scope.parameters:
        for source in scope.body.names.get(name, ()):
            for part in ast.walk(source.expr):
                if isinstance(part, ast.Name) and part.id in scope.parameters and depth < 5:
                    yield from _keys_behind(project, facts, part.id, depth + 1)
        return
    edges = project.callers(facts.id) if depth < 6 else []
    callers = [e for e in edges if e.site is not None and not is_stub(e.caller.function)]
    found = False
    for edge in callers:
        passed = argument(edge.call, facts, name)
        if passed is not None:
            found = True
            yield from _through(project, edge.caller.function, passed, depth)
    if not found:
        yield name


def _through(project: Project, caller: str, argument: ast.expr, depth: int) -> Iterator[str]:
    if isinstance(argument, ast.Name):
        yield from _keys_behind(project, project.index.function(caller), argument.id, depth + 1)
        return
    for part in ast.walk(argument):
        key = None
        if isinstance(part, ast.Subscript):
            key = part.slice
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.args:
            key = part.args[0] if part.func.attr in ("get", "pop") else None
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value
