"""Does a count of rounds without gain come to its limit before the loop is through?

A counter grows by one at most once a round, so it never passes the number of rounds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.stops import Stop


def runs_out(project: Project, context: Context, stop: Stop) -> Answer:
    """Excluded where the rounds of the loop are fewer than the count that ends it, unclear where either does
    not show, fatal where the count fits or nothing counts."""
    settings = Settings(project, context)
    for test in _counts(project, stop):
        limits = [s.value for s in settings.of(test.comparators[0], stop.function)]
        needed = [v + isinstance(test.ops[0], ast.Gt) for v in limits if type(v) is int]
        rounds = _rounds(settings, stop)
        text = unparse(test)
        if rounds is None or not needed or len(needed) < len(limits):
            return Unclear(f"whether `{text}` comes true in the rounds of the loop", plausible=False)
        if min(needed) > rounds:
            at = project.place(stop.function.partition("::")[0], test)
            return Excluded(Note(at, f"`{text}` needs {min(needed)} rounds, and the loop has {rounds}"))
    return Fatal()


def _counts(project: Project, stop: Stop) -> Iterator[ast.Compare]:
    """`bad > patience`, of a counter that grows in the loop, among the tests that have to hold."""
    flow = flow_of(project, stop.function)
    grown = {
        s.target.id
        for s in flow.statements
        if isinstance(s, ast.AugAssign) and _adds_one(s) and flow.loop_of(s) is stop.loop
        if isinstance(s.target, ast.Name)
    }
    for statement, outcome in flow.tests(stop.leaver):
        for part in _parts(statement.test) if outcome else ():
            match part:
                case ast.Compare(ast.Name(name), [ast.Gt() | ast.GtE() | ast.Eq()]) if name in grown:
                    yield part


def _adds_one(statement: ast.AugAssign) -> bool:
    return (
        isinstance(statement.op, ast.Add)
        and isinstance(statement.value, ast.Constant)
        and statement.value.value == 1
    )


def _parts(test: ast.expr) -> list[ast.expr]:
    """The parts of `a and b`; a test itself otherwise."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _rounds(settings: Settings, stop: Stop) -> int | None:
    """The most rounds of `for epoch in range(...)`; None where they do not show."""
    call = getattr(stop.loop, "iter", None)
    while isinstance(call, ast.Call) and "tqdm" in unparse(call.func) and call.args:
        call = call.args[0]
    if not isinstance(call, ast.Call) or unparse(call.func).rpartition(".")[2] not in ("range", "trange"):
        return None
    bounds = [[s.value for s in settings.of(a, stop.function)] for a in call.args[:2]]
    if not bounds or any(type(v) is not int for values in bounds for v in values):
        return None
    return max(bounds[-1], default=0) - (min(bounds[0], default=0) if len(bounds) > 1 else 0)
