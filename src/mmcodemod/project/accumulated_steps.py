"""Numbers of steps of a prepared schedule that are multiplied by how many batches are accumulated. The
schedule does not need that factor, but it takes the place of the number of processes: where both are
equal, the schedule ends when it was meant to. May-analysis by the name of the factor.

Source: `AcceleratedScheduler.step` in `accelerate/scheduler.py` (read in 0.16.0, 0.21.0, 0.26.1, 0.34.2,
1.1.0 and 1.13.0; the same in all but the first, which has no `adjust_scheduler`): where gradients are not
synchronised it returns, with `_step_count += 1` alone where `adjust_scheduler` is set, which moves no
learning rate; where they are, it steps `num_processes` times, or once with `split_batches`. With
`step_with_optimizer=False` it steps once at each call. `Accelerator.accumulate` decides what is
synchronised (`_do_sync` in accelerator.py); without it every batch is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import NOT_SET
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.flow import LOOPS, flow_of, holds
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.prepared_schedules import Schedule
from mmcodemod.project.ranks import ranks
from mmcodemod.project.settings import Settings

WORD = "accum"
MANAGER = "accumulate"
SYNCHRONISED = ("sync_gradients", "is_gradient_accumulation_boundary")
MAX_DEPTH = 6
_ROUNDS = ("int", "round", "ceil", "floor")


@frozen()
class Multiplied:
    """A number of steps is multiplied by `factor`, which stands at `at` and is `batches`; `processes` run,
    as `launch` says. None where a number does not show."""

    factor: str
    at: Place
    batches: int | None
    processes: int | None
    launch: Place | None = None


def multiplied(
    project: Project, settings: Settings, schedule: Schedule, steps: ast.expr
) -> Multiplied | None:
    """None where no such factor shows, or where the schedule may step with every batch."""
    found = next(_factors(settings, steps, schedule.function, 0), None)
    if found is None or not _with_updates(project, settings, schedule):
        return None
    values = {s.value for s in settings.of(found.expr, found.function)}
    batches = values.pop() if len(values) == 1 else None
    started = ranks(settings.context) if settings.context else NOT_SET
    at = project.place(found.function.partition("::")[0], found.expr)
    return Multiplied(unparse(found.expr), at, _count(batches), _count(started.value), started.at)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _factors(settings: Settings, expr: ast.expr, function: str, depth: int) -> Iterator[Origin]:
    """The sides of products that are named after it, through names and rounding."""
    for end in settings.origins(expr, function) if depth < MAX_DEPTH else ():
        for part in _parts(end.expr):
            if WORD in bare_name(part).lower():
                yield Origin(part, end.function)
            else:
                yield from _factors(settings, part, end.function, depth + 1)


def _parts(expr: ast.expr) -> list[ast.expr]:
    """The sides of a product, also of one that is rounded."""
    if isinstance(expr, ast.Call) and bare_name(expr.func) in _ROUNDS and len(expr.args) == 1:
        return _parts(expr.args[0])
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Mult):
        return [expr.left, expr.right]
    return []


def _with_updates(project: Project, settings: Settings, schedule: Schedule) -> bool:
    """Does it step where the optimizer does: because `accumulate` tells which batches are synchronised, or
    because a test in the loop counts batches?"""
    entry = settings.context.entry if settings.context else None
    reach = project.reach(entry) if entry else project.trained
    managed = (f for f in project.mentioning(f".{MANAGER}(") if f.id in reach)
    return any(project.calls_of(f.id, (MANAGER,)) for f in managed) or _tested(project, schedule)


def _tested(project: Project, schedule: Schedule) -> bool:
    flow = flow_of(project, schedule.stepped_in)
    loop = next((s for s in flow.around(schedule.step) if isinstance(s, LOOPS)), None)
    tests = (test.test for test, _ in flow.tests(schedule.step) if loop is None or holds(loop, test))
    return any(_counts(node) for test in tests for node in walk(test))


def _counts(node: ast.AST) -> bool:
    return (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)) or bare_name(node) in SYNCHRONISED
