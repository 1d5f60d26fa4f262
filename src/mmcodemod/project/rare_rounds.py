"""Tests for every so many rounds of a loop that makes fewer: `(epoch + 1) % config.every == 0`.
Must-analysis: flags, defaults and files say how many rounds there are, and how many the test waits for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from typing import TypeGuard

from mmcodemod.facts.definitions import bare_name
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import Option
from mmcodemod.model.verdict import Answer, Excluded, Unclear
from mmcodemod.project.config_files import by_file, loaded_key
from mmcodemod.project.flow import Loop, flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings

_ROUNDS = ("ceil", "floor", "int", "round")


@frozen()
class _Rounds:
    """How many rounds a loop makes at most: `count` in `function`, or what a division leaves of it."""

    count: ast.expr
    function: str
    divided: bool


def in_time(project: Project, context: Context, function: str, node: ast.AST) -> Answer | None:
    """Excluded where a test around the node asks for a later round than the loop comes to, unclear where only
    a loop of single steps comes to it; None where the numbers do not show, or it does."""
    for asked, outcome in flow_of(project, function).tests(node):
        every = _every(asked.test) if outcome else None
        for loop in flow_of(project, function).loops(asked) if every is not None else ():
            found = _compared(project, context, function, loop, *every) if every else None
            if found is not None:
                return found
    return None


def _every(test: ast.expr) -> tuple[str, ast.expr] | None:
    """The counter and the interval of `(counter + 1) % interval == 0`: the first of its rounds is no hit."""
    match test:
        case ast.Compare(
            ast.BinOp(ast.BinOp(ast.Name(counter), ast.Add(), ast.Constant(1)), ast.Mod(), interval),
            [ast.Eq()],
            [ast.Constant(0)],
        ):
            return counter, interval
    return None


def _compared(
    project: Project, context: Context, function: str, loop: Loop, counter: str, interval: ast.expr
) -> Answer | None:
    stop = _stop(loop, counter)
    if stop is None:
        return None
    settings = Settings(project, context)
    ends = [_rounds(o.expr, o.function) for o in settings.origins(stop, function)]
    answers = [_of_end(project, settings, context, function, interval, end) for end in ends]
    if not answers or any(answer is None for answer in answers):
        return None
    return next((a for a in answers if isinstance(a, Unclear)), answers[0])


def _stop(loop: Loop, counter: str) -> ast.expr | None:
    """Where `for counter in range(start, stop)` ends."""
    match loop:
        case ast.For(ast.Name(name), ast.Call(ast.Name("range"), [*_, stop] as given)) if name == counter:
            return stop if len(given) < 3 else None
    return None


def _rounds(expr: ast.expr, function: str) -> _Rounds:
    """`math.ceil(steps / steps_per_epoch)` is at most `steps`."""
    if isinstance(expr, ast.Call) and bare_name(expr.func) in _ROUNDS and len(expr.args) == 1:
        return _rounds(expr.args[0], function)
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Div, ast.FloorDiv)):
        return _Rounds(expr.left, function, True)
    return _Rounds(expr, function, False)


def _of_end(
    project: Project, settings: Settings, context: Context, function: str, interval: ast.expr, end: _Rounds
) -> Answer | None:
    pairs = list(_plain(settings, function, interval, end)) or _filed(
        project, context, function, interval, end
    )
    answers = [_judged(every, most, end.divided) for every, most in pairs]
    if not answers or any(answer is None for answer in answers):
        return None
    return next((a for a in answers if isinstance(a, Unclear)), answers[0])


def _plain(
    settings: Settings, function: str, interval: ast.expr, end: _Rounds
) -> Iterator[tuple[Option, Option]]:
    """What flags and constants come to; nothing where one of them does not show."""
    intervals, counts = settings.of(interval, function), settings.of(end.count, end.function)
    if all(_is_number(s.value) for s in (*intervals, *counts)):
        for every, most in product(sorted(intervals, key=str), sorted(counts, key=str)):
            yield Option(every.value, every.at), Option(most.value, most.at)


def _filed(
    project: Project, context: Context, function: str, interval: ast.expr, end: _Rounds
) -> list[tuple[Option, Option]]:
    """What the files of the tree give for two keys of one configuration."""
    keys = loaded_key(project, interval, function), loaded_key(project, end.count, end.function)
    return [(every, most) for every, most in by_file(project, context, *keys)] if all(keys) else []


def _judged(every: Option, most: Option, divided: bool) -> Answer | None:
    if not _is_number(every.value) or not _is_number(most.value) or every.at is None:
        return None
    if every.value > most.value:
        return Excluded(
            Note(every.at, f"every {every.value} rounds of a loop that makes {most.value} at most")
        )
    if divided and every.value == most.value:
        return Unclear(f"whether an epoch has one step: every {every.value} epochs ({every.at})")
    return None


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
