"""A call with the arguments that `functools.partial` has bound before. Must-analysis: a name that may hold
anything else than one `partial` binds nothing."""

from __future__ import annotations

import ast

from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins

PARTIAL = "functools.partial"


def with_bound(project: Project, call: ast.Call, function: str) -> ast.Call:
    """The call itself, or one with the bound arguments before its own; its own keywords win."""
    found = Origins(project).of(call.func, function)
    made = found[0].expr if len(found) == 1 else None
    if not isinstance(made, ast.Call) or PARTIAL not in project.names(made.func, found[0].function):
        return call
    own = {keyword.arg for keyword in call.keywords}
    kept = [k for k in made.keywords if k.arg is None or k.arg not in own]
    full = ast.Call(func=call.func, args=[*made.args[1:], *call.args], keywords=[*kept, *call.keywords])
    return ast.copy_location(full, call)
