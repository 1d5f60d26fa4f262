"""What a call of torch's `checkpoint` is told about `use_reentrant`: by itself, by a dictionary that it is
given as `**`, or by the `partial` that it calls. Must-analysis: None where it does not show."""

from __future__ import annotations

import ast

from mmcodemod.model.frozen import frozen
from mmcodemod.project.checkpointing import KEY
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.reach import Reach
from mmcodemod.project.stubs import is_stub

MODULE, FUNCTION = "torch.utils.checkpoint", "checkpoint"
_PARTIAL = "functools.partial"


@frozen()
class Told:
    """`value` in `function`; None where nothing is told, and torch's default holds."""

    value: ast.expr | None
    function: str


def told(project: Project, reach: Reach | None, call: ast.Call, function: str) -> Told | None:
    """What one call is told in a run: by itself, else by what it calls, else by what torch's function is."""
    found = _keywords(project, call, function)
    if found is not None and found.value is None:
        found = _only(project, Origins(project).of(call.func, function))
    if found is not None and found.value is None:
        put = [Origin(e, f) for f, e in project.get(_replacements) if reach is None or f in reach]
        found = _only(project, put) if put else found
    return found


def _only(project: Project, origins: list[Origin]) -> Told | None:
    return _by_callee(project, origins[0]) if len(origins) == 1 else None


def _by_callee(project: Project, origin: Origin) -> Told | None:
    """By what is called: a `partial`, or a function, which is told nothing."""
    expr = origin.expr
    if isinstance(expr, ast.Call):
        made = _PARTIAL in project.names(expr.func, origin.function)
        return _keywords(project, expr, origin.function) if made else None
    return Told(None, origin.function)


def _keywords(project: Project, call: ast.Call, function: str) -> Told | None:
    """The keyword of a call, or that of what it spreads."""
    given = next((k.value for k in call.keywords if k.arg == KEY), None)
    if given is not None:
        return Told(given, function)
    spread = [k.value for k in call.keywords if k.arg is None]
    if not spread:
        return Told(None, function)
    found = [_in_dictionary(o) for expr in spread for o in Origins(project).of(expr, function)]
    return found[0] if len(found) == 1 else None


def _in_dictionary(origin: Origin) -> Told | None:
    """The key in a display: where it is not there, the code may put it there."""
    match origin.expr:
        case ast.Dict(keys, values):
            pairs = ((k.value, v) for k, v in zip(keys, values) if isinstance(k, ast.Constant))
        case ast.Call(ast.Name("dict"), [], keywords):
            pairs = ((k.arg, k.value) for k in keywords)
        case _:
            return None
    value = next((v for key, v in pairs if key == KEY), None)
    return Told(value, origin.function) if value is not None else None


def _replacements(project: Project) -> list[tuple[str, ast.expr]]:
    """(function, value) of `torch.utils.checkpoint.checkpoint = value`, which the tree calls then. Use
    through `project.get`."""
    return [
        (facts.id, store.value.expr)
        for facts in project.mentioning(f".{FUNCTION} =")
        if not is_stub(facts.id) and any(s.attr == FUNCTION for s in facts.body.stores)
        for store in project.resolver.body(facts.id).stores
        if store.attr == FUNCTION and MODULE in project.names(store.base, facts.id)
    ]
