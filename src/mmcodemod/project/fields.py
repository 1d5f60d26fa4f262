"""Defaults of the dataclass fields that command-line flags fill. Must-analysis: a field counts only where the
launch shows that its flags fill the class."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import ClassFacts
from mmcodemod.model.context import Context, Origin
from mmcodemod.project.model import Project
from mmcodemod.project.values import Instance, Values


def field_default(
    project: Project, context: Context, objects: Values, name: str
) -> tuple[ast.expr, str] | None:
    """(expression, file) of the default of the field `name` of an object that the launch fills without giving
    this flag; None where it may hold anything else."""
    classes = sorted({v.cls for v in objects if isinstance(v, Instance)})
    if context.origin is not Origin.LAUNCHED or len(classes) != 1 or len(objects) != 1:
        return None
    own = list(project.resolver.classes.own(classes[0]))
    if not any(_filled(context, facts) for facts in own):
        return None
    holder = next((facts for facts in own if name in facts.annotations), None)
    written = holder.attributes.get(name, []) if holder else []
    default = _default(written[-1]) if written else None
    return (default, holder.path) if holder and default is not None else None


def _filled(context: Context, facts: ClassFacts) -> bool:
    """Does the launch give a flag of one of the fields?"""
    return any(context.option(field).at is not None for field in facts.annotations)


def _default(expr: ast.expr) -> ast.expr | None:
    """The default itself: `field(default=...)` holds it in a keyword."""
    if not isinstance(expr, ast.Call):
        return expr
    return next((k.value for k in expr.keywords if k.arg == "default"), None)
