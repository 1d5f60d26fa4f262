"""Launches that die at an `assert` which what they give decides: `assert not (args.lora and args.freeze)`.
Must-analysis of functions that lead to the training, up to the line where it begins."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.model.verdict import Fatal
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.launch_sides import lets_in
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.sure_steps import Step, steps_under_tests
from mmcodemod.project.training_lines import training_lines


def failed_assert(project: Project, context: Context) -> Death | None:
    """How a launch dies at an `assert`; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin is not Origin.LAUNCHED or entry.library:
        return None
    asked = project.once(_asserts, entry) if entry.path in project.index.files else ()
    return next((_told(project, one) for one in asked if _fails(project, context, one)), None)


@frozen()
class _Assert:
    function: str
    step: Step


def _asserts(project: Project, entry: Entry) -> tuple[_Assert, ...]:
    return tuple(_before_training(project, entry))


def _before_training(project: Project, entry: Entry) -> Iterator[_Assert]:
    """What functions that lead to the training assert before it."""
    for facts in project.mentioning("assert "):
        if facts.id not in project.reach(entry) or is_stub(facts.id):
            continue
        begins = min(training_lines(project, facts.id), default=0)
        for step in steps_under_tests(facts.node) if begins else ():
            if isinstance(step.statement, ast.Assert) and step.statement.lineno < begins and not step.left:
                yield _Assert(facts.id, step)


def _fails(project: Project, context: Context, asked: _Assert) -> bool:
    """Does the launch give, or leave out, what makes it fail, and surely come by it?"""
    step, function = asked.step, asked.function
    return (
        bool(Settings(project, context).read_by(step.expr, function))
        and lets_in(project, context, function, step.expr, False)
        and all(lets_in(project, context, function, *test) for test in step.tests)
        and isinstance(comes_by(project, context, function, step.statement), Fatal)
    )


def _told(project: Project, asked: _Assert) -> Death:
    at = project.place(asked.function.partition("::")[0], asked.step.statement)
    return dead_at(at, "AssertionError", f"the launch makes `{unparse(asked.step.expr)}` false")
