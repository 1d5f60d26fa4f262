"""Objects that a program makes itself and then fills with the flags of its launch: `fire.Fire(main)`, whose
`main(**kwargs)` hands them to a helper that sets an attribute for each, as `update_config` of llama-recipes.

Source: Fire makes a keyword of each `--flag value`, by the name of the flag.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import SCOPES, unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.project.model import Project
from mmcodemod.project.values import ClassRef, FunctionRef, Instance

_FIRE = "fire.Fire"


def filled_by_keywords(project: Project, context: Context | None) -> frozenset[str]:
    """The classes whose objects, or which themselves, hold what the launch gives by flags."""
    entry = context.entry if context else None
    if (
        entry is None
        or entry.path not in project.index.files
        or _FIRE[:4] not in project.index.text(entry.path)
    ):
        return frozenset()
    return project.once(_filled, entry.path)


def _filled(project: Project, path: str) -> frozenset[str]:
    functions = project.index.files[path].functions.values()
    return frozenset(c for f in functions if _is_started(project, f) for c in _of_helpers(project, f))


def _is_started(project: Project, facts: FunctionFacts) -> bool:
    """Does Fire call it with whatever the command line gives?"""
    if not _keywords_of(facts.node):
        return False
    for other in project.index.files[facts.path].functions.values():
        for call in project.calls_of(other.id, ("Fire",)):
            given = project.values(call.args[0], other.id) if call.args else frozenset()
            if _FIRE in project.names(call.func, other.id) and FunctionRef(facts.id) in given:
                return True
    return False


def _keywords_of(node: ast.AST) -> str:
    """The name of `**kwargs`, or ""."""
    given = node.args.kwarg if isinstance(node, ast.FunctionDef) else None
    return given.arg if given else ""


def _of_helpers(project: Project, facts: FunctionFacts) -> Iterator[str]:
    """The classes of what a function hands, with its keywords, to a helper that stores them."""
    keywords = _keywords_of(facts.node)
    for call in (n for n in own_nodes(facts.node) if isinstance(n, ast.Call)):
        spread = any(k.arg is None and getattr(k.value, "id", "") == keywords for k in call.keywords)
        if spread and _stores_keywords(project, call, facts.id):
            for argument in call.args:
                parts = argument.elts if isinstance(argument, (ast.Tuple, ast.List)) else [argument]
                yield from (v.cls for p in parts for v in project.values(p, facts.id) if _is_object(v))  # type: ignore[union-attr]


def _is_object(value: object) -> bool:
    return isinstance(value, (ClassRef, Instance))


def _stores_keywords(project: Project, call: ast.Call, function: str) -> bool:
    """Does each function that may be called set an attribute for every keyword that it is given?"""
    called = project.values(call.func, function)
    refs = [v for v in called if isinstance(v, FunctionRef)]
    return bool(refs) and len(refs) == len(called) and all(_sets_each(project, v.function) for v in refs)


def _sets_each(project: Project, function: str) -> bool:
    node = project.index.function(function).node
    loops = (n for n in own_nodes(node) if isinstance(n, ast.For) and not isinstance(n, SCOPES))
    return any(_sets(loop, _keywords_of(node)) for loop in loops)


def _sets(loop: ast.For, keywords: str) -> bool:
    """`for name, value in kwargs.items(): ... setattr(object, name, value)`"""
    if not keywords or unparse(loop.iter) != f"{keywords}.items()" or not isinstance(loop.target, ast.Tuple):
        return False
    names = [getattr(e, "id", "") for e in loop.target.elts]
    calls = (n for n in walk(loop) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "setattr")
    return any([getattr(a, "id", "") for a in call.args[1:]] == names for call in calls)
