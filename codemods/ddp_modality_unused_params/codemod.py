"""Lets DDP search for the parameters that went unused.

before: model = DistributedDataParallel(model)
after:  model = DistributedDataParallel(model, find_unused_parameters=True)
"""

from __future__ import annotations

import ast

from mmcodemod.api import (
    Applicability,
    Context,
    Edit,
    Excluded,
    Finding,
    Fix,
    Place,
    Project,
    Site,
    every_parameter,
    reentrant,
)

SHOWN = (
    "run the modules on a stand-in that enters the loss with no weight, or let DDP search for unused "
    "parameters, which reentrant checkpointing does not stand (MM312)"
)


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Unsafe: the search costs time in each step, and also hides parameters that never train."""
    runs = [c for c in project.contexts if c.id in finding.contexts]
    calls = {(f, c) for run in runs for f, c in every_parameter.by_hand(project, run)}
    if len(calls) != 1 or any(_checkpoints(project, run) for run in runs):
        return Fix(SHOWN, Applicability.DISPLAY)
    edit = _edit(project, *calls.pop())
    if edit is None:
        return Fix(SHOWN, Applicability.DISPLAY)
    return Fix("let DDP search for unused parameters", Applicability.UNSAFE, (edit,))


def _checkpoints(project: Project, run: Context) -> bool:
    return any(not isinstance(r.answer, Excluded) for r in reentrant.reentrant(project, run))


def _edit(project: Project, function: str, call: ast.Call) -> Edit | None:
    path = function.partition("::")[0]
    given = next((k.value for k in call.keywords if k.arg == every_parameter.KEY), None)
    if given is not None:
        at = project.place(path, given)
        end = (at.last_line, at.end_column or at.column)
        literal = isinstance(given, ast.Constant) and given.value is False
        return Edit(path, (at.line, at.column), end, "True") if literal else None
    written = [*call.args, *(k.value for k in call.keywords)]
    if not written:
        return None
    at = project.place(path, max(written, key=lambda e: (e.end_lineno or 0, e.end_col_offset or 0)))
    end = (at.last_line, at.end_column or at.column)
    if _between(project, path, end, project.place(path, call)).strip(" \t\r\n,") != ")":
        return None  # the last argument stands in parentheses, or a comment follows
    return Edit(path, end, end, f", {every_parameter.KEY}=True")


def _between(project: Project, path: str, start: tuple[int, int], call: Place) -> str:
    """What follows the last argument of a call."""
    lines = project.index.lines(path)[start[0] - 1 : call.last_line]
    last = lines[-1][: (call.end_column or 1) - 1]
    if len(lines) == 1:
        return last[start[1] - 1 :]
    return "\n".join([lines[0][start[1] - 1 :], *lines[1:-1], last])
