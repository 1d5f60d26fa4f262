"""Code that a run skips because of its settings: a test around it that always comes out the other way.
What stands behind `exit()` is skipped whatever they are."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.project.behind_exits import behind_an_exit
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.parts_of_tests import parts_of
from mmcodemod.project.setting import Setting
from mmcodemod.project.settings import Settings, truths


def skipped_by(
    project: Project, context: Context, function: str, node: ast.AST, switches: bool = False
) -> Note | None:
    """The line that keeps the run from `node`; None when the run may get there, or when no flag of the launch
    decides it: what only the code says, its caller may say otherwise. `switches` asks for tests that compare
    and call nothing: a word may be that of another object with a field of the same name."""
    if dead := behind_an_exit(project, function, node):
        return dead
    for asked, outcome in flow_of(project, function).tests(node):
        if switches and any(isinstance(part, (ast.Compare, ast.Call)) for part in walk(asked.test)):
            continue
        if outcome in truths(project, context, asked.test, function):
            continue
        decide = _deciding(project, context, asked.test, outcome, function)
        if decide:
            read = sorted(
                (s for p in decide for s in Settings(project, context).read_by(p, function)), key=str
            )
            return next((_note(s, s.at, asked.test, outcome) for s in read if s.flag and s.at), None)
    return None


def _deciding(
    project: Project, context: Context, test: ast.expr, outcome: bool, function: str
) -> list[ast.expr]:
    """The parts of a test that cannot come out as they would have to, less those that ask own objects."""
    parts = [p for p in parts_of(test, outcome) if outcome not in truths(project, context, p, function)]
    return [p for p in parts if not of_own_objects(project, context, p, function)]


def of_own_objects(project: Project, context: Context, test: ast.expr, function: str) -> bool:
    """Does a test ask an object that the code makes itself, with a field of the same name as a flag? Not one
    for what stands in the launch's own file."""
    settings = Settings(project, context)
    asked = (part for part in walk(test) if isinstance(part, ast.Attribute))
    own = (part for part in asked if settings.written_out(part.value, function))
    return any(not settings.filed(part, function).given for part in own)


def _note(setting: Setting, at: Place, test: ast.expr, outcome: bool) -> Note:
    """What the launch gives, or does not give, and what that does."""
    does = "does not let it in" if outcome else "leads past it"
    return Note(at, f"{setting.told}, so `{unparse(test)}` {does}")
