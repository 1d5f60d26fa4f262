"""Variables of modules of the tree, by file and name, and what code stores there: `lib.talk = ...`, `global
talk`. May-analysis of the code that training reaches."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.facts.terms import Subscript, Term, last_name
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import ModuleRef


class Variable(NamedTuple):
    """A name that a module gives a value."""

    path: str
    name: str


def variable(project: Project, expr: ast.expr, function: str) -> Variable | None:
    """The variable that `name` or `module.name` means in `function`; None for anything else."""
    if isinstance(expr, ast.Name):
        local = _local(project, expr.id, function)
        return None if local else _found(project, function.partition("::")[0], expr.id)
    if isinstance(expr, ast.Attribute):
        values = project.values(expr.value, function)
        only = next(iter(values)) if len(values) == 1 else None
        if isinstance(only, ModuleRef) and only.path:
            return _found(project, only.path, expr.attr)
    return None


def _local(project: Project, name: str, function: str) -> bool:
    facts = project.index.function(function)
    while facts.qualname != "<module>":
        if name in facts.parameters.names:
            return True
        if name in facts.body.names:
            return name not in facts.body.globals
        facts = project.index.function(f"{facts.path}::{facts.parent}")
    return False


def _found(project: Project, path: str, name: str) -> Variable | None:
    """Where a module has it: itself, or the module that it imports the name from."""
    seen: set[str] = set()
    while path not in seen:
        seen.add(path)
        file = project.index.files[path]
        if name in file.functions["<module>"].body.names:
            return Variable(path, name)
        for item in file.imported(name):
            if item.name:
                modules = project.index.modules
                target = modules.find(modules.absolute(item.module, item.level, path), path)
                if target is None or is_stub(target):
                    return None
                path, name = target, item.name
                break
    return None


@frozen()
class Stores:
    """(function, source) of every store outside the module's own code; `changed`: may code also change the
    object itself, by `talk.version = ...`, `TALKS[name] = ...` or `TALKS.update(...)`?"""

    found: tuple[tuple[str, NodeSource], ...]
    changed: bool


def stores_to(project: Project, held: Variable) -> Stores:
    """What reached code does to a variable."""
    return project.once(_stores, held)


def _stores(project: Project, held: Variable) -> Stores:
    functions = (f"{held.path}::<module>", *sorted(project.trained))
    changed = any(_changes(project, held, function) for function in functions)
    return Stores(tuple(_stored(project, held)), changed)


def _stored(project: Project, held: Variable) -> Iterator[tuple[str, NodeSource]]:
    for function in sorted(project.trained):
        body = project.index.function(function).body
        if function.startswith(f"{held.path}::") and held.name in body.globals:
            yield from ((function, s) for s in project.resolver.body(function).names.get(held.name, ()))
        if any(store.attr == held.name for store in body.stores):
            for store in project.resolver.body(function).stores:
                if store.attr == held.name and _is(project, held, store.base, function):
                    yield function, store.value


def _is(project: Project, held: Variable, module: ast.expr, function: str) -> bool:
    values = project.values(module, function)
    paths = [v.path for v in values if isinstance(v, ModuleRef) and v.path]
    return any(_found(project, path, held.name) == held for path in paths)


def _changes(project: Project, held: Variable, function: str) -> bool:
    body = project.index.function(function).body
    bases = [store.base for store in body.stores] + [put.base for put in body.puts]
    return any(_name(base) == held.name for base in bases) and _may_change(project, held, function)


def _name(base: Term) -> str:
    """`TALKS` of `lib.TALKS["v1"]`."""
    return last_name(base.value if isinstance(base, Subscript) else base)


def _may_change(project: Project, held: Variable, function: str) -> bool:
    """Is it this variable, or is open which one it is? Another module may have one of the same name."""
    body = project.resolver.body(function)
    bases = [store.base for store in body.stores] + [put.base for put in body.puts]
    plain = [base.value if isinstance(base, ast.Subscript) else base for base in bases]
    named = [base for base in plain if bare_name(base) == held.name]
    return any(variable(project, base, function) in (None, held) for base in named)
