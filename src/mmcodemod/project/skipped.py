"""Code that a run skips because of its settings: a test around it that always comes out the other way."""

from __future__ import annotations

import ast

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.option import UNKNOWN
from mmcodemod.project.gradients import Gradients
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Setting, Settings


def skipped_by(project: Project, context: Context, function: str, node: ast.AST) -> Note | None:
    """The line that keeps the run from `node`; None when the run may get there."""
    settings = Settings(project, context)
    for test, outcome in project.get(Gradients).conditions(function, node).values():
        if outcome not in settings.truths(test, function):
            return _note(project, function, test, settings.read_by(test, function))
    return None


def _note(project: Project, function: str, test: ast.expr, read: frozenset[Setting]) -> Note:
    """What the launch gives, or does not give; the test itself where it reads neither."""
    asked = ast.unparse(test)
    for setting in sorted(read, key=str):
        if setting.at and setting.flag and setting.value is not UNKNOWN:
            gives = f"--{setting.flag} is {setting.value}" if setting.given else f"no --{setting.flag}"
            return Note(setting.at, f"{gives}, so `{asked}` does not let it in")
    return Note(project.place(function.partition("::")[0], test), f"`{asked}` does not let it in")
