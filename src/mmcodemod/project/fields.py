"""Defaults of the dataclass fields that command-line flags fill. Must-analysis: a field counts only where the
launch shows that its flags fill the class."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import ClassFacts
from mmcodemod.model.context import Context, Origin
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Instance, Values


def field_default(
    project: Project, context: Context, objects: Values, name: str
) -> tuple[ast.expr, str] | None:
    """(expression, file) of the default of the field `name` of an object that the launch fills without giving
    this flag; None where it may hold anything else."""
    classes = sorted({v.cls for v in objects if isinstance(v, Instance)})
    if context.origin is not Origin.LAUNCHED or len(classes) != 1 or len(objects) != 1:
        return None
    if name in project.get(_written) or "" in project.get(_written):
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


def _written(project: Project) -> frozenset[str]:
    """The attributes that training code sets on objects other than its own; "" where a name is worked out and
    the object is one of arguments. Use through `project.get(_written)`."""
    found: set[str] = set()
    for function in project.trained:
        for part in own_nodes(project.index.function(function).node) if not is_stub(function) else ():
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, (ast.Store, ast.Del)):
                found |= set() if _is_self(part.value) else {part.attr}
            elif isinstance(part, ast.Call) and getattr(part.func, "id", "") == "setattr":
                found |= set(_set_by_name(part))
    return frozenset(found)


def _set_by_name(call: ast.Call) -> list[str]:
    """`setattr(args, "x", ...)`: x; "" for a name that does not show."""
    if len(call.args) < 2 or _is_self(call.args[0]):
        return []
    name = call.args[1]
    if isinstance(name, ast.Constant):
        return [str(name.value)]
    return [""] if "args" in ast.unparse(call.args[0]).lower() else []


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")
