"""Defaults of the dataclass fields that command-line flags fill. Must-analysis: a field counts only where the
launch shows that its flags fill the class."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import ClassFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.facts.terms import is_name
from mmcodemod.model.context import Context, Origin
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Instance, Values

_SELF = ("self", "cls")


def field_default(
    project: Project, context: Context, objects: Values, name: str
) -> tuple[ast.expr, str] | None:
    """(expression, file) of the default of the field `name` of an object that the launch fills without giving
    this flag; None where it may hold anything else."""
    classes = sorted({v.cls for v in objects if isinstance(v, Instance)})
    if context.origin is not Origin.LAUNCHED or len(classes) != 1 or len(objects) != 1:
        return None
    if name in project.get(attributes_set) or "" in project.get(attributes_set):
        return None
    own = list(project.resolver.classes.own(classes[0]))
    if not any(_filled(context, facts) for facts in own):
        return None
    holder = next((facts for facts in own if name in facts.fields), None)
    written = holder.defined.attributes.get(name, []) if holder else []
    default = default_of(written[-1]) if written else None
    return (default, holder.path) if holder and default is not None else None


def _filled(context: Context, facts: ClassFacts) -> bool:
    """Does the launch give a flag of one of the fields?"""
    return any(context.option(field).at is not None for field in facts.fields)


def default_of(expr: ast.expr) -> ast.expr | None:
    """The default itself: `field(default=...)` holds it in a keyword."""
    if not isinstance(expr, ast.Call):
        return expr
    return next((k.value for k in expr.keywords if k.arg == "default"), None)


def attributes_set(project: Project) -> frozenset[str]:
    """The attributes that training code sets on objects other than its own; "" where a name is worked out and
    the object is one of arguments. Use through `project.get(attributes_set)`."""
    found: set[str] = set()
    for function in project.trained:
        body = project.index.function(function).body
        for store in body.stores if not is_stub(function) else ():
            found |= set() if is_name(store.base, *_SELF) else {store.attr}
        for call in project.calls_of(function, ("setattr",)) if not is_stub(function) else ():
            found |= set(_set_by_name(call))
    return frozenset(found)


def _set_by_name(call: ast.Call) -> list[str]:
    """`setattr(args, "x", ...)`: x; "" for a name that does not show."""
    if len(call.args) < 2 or _is_self(call.args[0]):
        return []
    name = call.args[1]
    if isinstance(name, ast.Constant):
        return [str(name.value)]
    return [""] if "args" in unparse(call.args[0]).lower() else []


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in _SELF
