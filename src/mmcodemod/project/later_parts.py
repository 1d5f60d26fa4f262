"""The attributes under which code of the tree may hang a module that the construction of the model did not
build. May-analysis, by name: `from_pretrained` builds what the `__init__` of modules make, no more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Store
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Call, Name, Term
from mmcodemod.knowledge.modules import is_module_class
from mmcodemod.project.arguments import given_at
from mmcodemod.project.model import Project
from mmcodemod.project.values import Instance, Made, Value

_ATTACHES = {"add_module": 0, "register_module": 0, "setattr": 1}  # where each takes the name


def later_parts(project: Project) -> frozenset[str]:
    """Those that training code sets. Use through `project.get(later_parts)`."""
    run = [facts for facts in project.functions() if facts.id in project.trained]
    plain = {s.attr for facts in run for s in facts.body.stores if not _is_construction(project, facts, s)}
    return frozenset(plain.union(*(_attached(project, facts) for facts in run)))


def _is_construction(project: Project, facts: FunctionFacts, store: Store[Term]) -> bool:
    """Does the `__init__` of a module make the part itself?"""
    own = isinstance(store.base, Name) and store.base.id == facts.parameters.first
    if not (own and facts.owner and facts.name == "__init__" and isinstance(store.value.expr, Call)):
        return False
    built = project.values(store.value.expr, facts.id)
    within = project.is_module(f"{facts.path}::{facts.owner}")
    return within and bool(built) and all(_is_built(project, value) for value in built)


def _is_built(project: Project, value: Value) -> bool:
    """An object of a class that is a module: what a function gives may have been read from a file."""
    if isinstance(value, Instance):
        return project.is_module(value.cls)
    return isinstance(value, Made) and is_module_class(value.by)


def _attached(project: Project, facts: FunctionFacts) -> Iterator[str]:
    """The attributes that `add_module("proj", ...)` or `setattr(model, "proj", ...)` sets."""
    for call in project.calls_of(facts.id, _ATTACHES):
        position = _ATTACHES[call.func.id if isinstance(call.func, ast.Name) else call.func.attr]  # type: ignore[attr-defined]
        name = given_at(call, position, "name")
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value
