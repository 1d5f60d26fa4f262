"""Modules that FSDP does not shard: those that a plain list holds, which torch does not register, and those
that the wrapping call leaves out. Must-analysis: claimed only where the list is written out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.model.place import Place
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall
from mmcodemod.project.values import Instance

IGNORED = "ignored_modules"


def listed_at(project: Project, run: ModuleCall, frame: Frame) -> Place | None:
    """The line that puts the module of `self.towers[0](...)` into a list; None when it is registered."""
    func = run.call.func
    if not isinstance(func, ast.Subscript) or not isinstance(func.value, ast.Attribute):
        return None
    owners = [v.cls for v in project.resolver.infer(func.value.value, frame) if isinstance(v, Instance)]
    sources = [s for cls in owners for s in project.resolver.attribute_sources(cls, func.value.attr)]
    found = [(function, source.expr) for function, source in sources]
    if not found or not all(isinstance(expr, (ast.List, ast.Tuple)) for _, expr in found):
        return None
    function, expr = found[0]
    return project.place(function.partition("::")[0], expr)


def ignored_at(project: Project, modules: frozenset[str]) -> Place | None:
    """The line that tells FSDP to leave all these modules whole: `ignored_modules=[model.tower]`. A module is
    known by the last name of what holds it."""
    for facts in project.mentioning(IGNORED):
        if facts.id in project.trained:
            for call in map(node_of, facts.body.calls):
                if modules and modules <= set(_ignored(call)):
                    return project.place(facts.path, call)
    return None


def _ignored(call: ast.Call) -> Iterator[str]:
    listed = [k.value for k in call.keywords if k.arg == IGNORED]
    for held in listed:
        if isinstance(held, (ast.List, ast.Tuple, ast.Set)):
            yield from (e.attr for e in held.elts if isinstance(e, ast.Attribute))
