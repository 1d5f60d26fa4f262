"""The way of a run to a place, function by function, and whether it trains after it. Must-analysis."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from mmcodemod.facts.outline import MAIN, MODULE
from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project
from mmcodemod.project.skipped import skipped_by
from mmcodemod.project.sure_steps import Test
from mmcodemod.project.training_lines import training_lines


@frozen()
class Level:
    """A function on the way, and the statement of it that leads on. `left`: may the run have returned from
    the function before? `tests` around the statement, each with the outcome that lets in."""

    function: str
    step: ast.stmt
    left: bool
    tests: tuple[Test, ...] = ()


def before_training(project: Project, way: Sequence[Level]) -> bool:
    """Does the run train in the last statement of the way or after it, not before it, and not where it has
    returned early?"""
    after = []
    for level in way:
        lines, start = _trains_at(project, level.function), level.step.lineno
        if any(line < start for line in lines):
            return False
        first = start if level is way[-1] else (level.step.end_lineno or start) + 1
        after.append(any(line >= first for line in lines))
    left = [n for n, level in enumerate(way) if level.left]
    return any(after) and all(not any(after[:n]) and any(after[n:]) for n in left)


def ends_before(project: Project, context: Context, way: Sequence[Level]) -> bool:
    """Does what the launch gives end it before the last step of a way, as `--eval` where the program then
    returns?"""
    return any(skipped_by(project, context, level.function, level.step) for level in way)


def _trains_at(project: Project, function: str) -> set[int]:
    """The lines that lead to the training; of a program, also those under its main guard."""
    path, _, name = function.partition("::")
    main = project.index.files[path].functions.get(MAIN) if name == MODULE else None
    lines = training_lines(project, function)
    return lines | training_lines(project, main.id) if main else lines
