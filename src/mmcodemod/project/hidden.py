"""Modules that a plain list holds: torch does not register them, so FSDP neither sees nor shards them.
Must-analysis: claimed only when every store of the attribute is a list or tuple display."""

from __future__ import annotations

import ast

from mmcodemod.model.place import Place
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall
from mmcodemod.project.values import Instance


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
