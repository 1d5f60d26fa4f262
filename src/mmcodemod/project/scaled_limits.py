"""Limits of a clip that the code multiplies by the loss scale: gradients that are still scaled compare with
them as unscaled ones do with the plain limit. May-analysis: what does not work out counts as multiplied.

Source: https://docs.pytorch.org/docs/stable/amp.html (`GradScaler.get_scale`: the factor of the loss).
"""

from __future__ import annotations

import ast

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import walk
from mmcodemod.project.arguments import given_at
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins

_SCALE = "get_scale"
_LIMITS = ("max_norm", "clip_value", "value")
_MAX_NAMES = 4


def scaled_limit(project: Project, clip: ast.Call, function: str) -> ast.expr | None:
    """The limit of a clip, where the loss scale is a factor of it."""
    given = next((g for name in _LIMITS if (g := given_at(clip, 1, name)) is not None), None)
    if given is None:
        return None
    return given if _power(project, Origin(given, function), _MAX_NAMES) in (1, None) else None


def _power(project: Project, at: Origin, names: int) -> int | None:
    """To which power the loss scale is in a value; None where it is in there in another way."""
    match at.expr:
        case ast.Call(ast.Attribute(attr=attr)) if attr == _SCALE:
            return 1
        case ast.BinOp(left, ast.Mult() | ast.Div() as op, right):
            one, other = (_power(project, Origin(e, at.function), names) for e in (left, right))
            if one is None or other is None:
                return None
            return one + other if isinstance(op, ast.Mult) else one - other
        case ast.Call(func, [only], []) if bare_name(func) in ("float", "int", "tensor"):
            return _power(project, Origin(only, at.function), names)
        case ast.Name() | ast.Attribute() if names:
            return _followed(project, at, names - 1)
    calls = [bare_name(node.func) for node in walk(at.expr) if isinstance(node, ast.Call)]
    return None if _SCALE in calls else 0


def _followed(project: Project, at: Origin, names: int) -> int | None:
    """Through a name: where it may be several things, what they agree on."""
    origins = [o for o in Origins(project).of(at.expr, at.function) if o.expr is not at.expr]
    powers = {_power(project, origin, names) for origin in origins}
    return powers.pop() if len(powers) == 1 else None if powers else 0
