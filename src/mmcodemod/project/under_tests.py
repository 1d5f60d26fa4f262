"""Do the tests around a place hold in a context? Those that count steps or look into data do at some time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.flow import holds
from mmcodemod.project.gradients import Gradients
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings


def comes_to(project: Project, context: Context, function: str, node: ast.AST) -> Answer:
    """Fatal where every test around a place asks for a setting that the run has, excluded where one does not
    hold, unclear where a setting does not show."""
    settings, open_ = Settings(project, context if context.entry else None), list[str]()
    for test, needed in tests_around(project, function, node):
        truths = settings.truths(test, function)
        if needed not in truths:
            at = project.place(function.partition("::")[0], test)
            return Excluded(Note(at, f"`{unparse(test)}` is {not needed} here"))
        if len(truths) > 1 and not any(isinstance(n, (ast.BinOp, ast.Subscript)) for n in walk(test)):
            open_.append(f"whether `{unparse(test)}` is {needed}")
    return Unclear(" and ".join(open_), plausible=False) if open_ else Fatal()


def tests_around(project: Project, function: str, node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """The tests that decide whether a node runs, of statements and of conditional expressions."""
    gradients = project.get(Gradients)
    for test, outcome in gradients.conditions(function, node).values():
        yield test, gradients.as_it_stands(test, outcome)
    for around in own_nodes(project.index.function(function).node):
        if isinstance(around, ast.IfExp) and (holds(around.body, node) or holds(around.orelse, node)):
            yield around.test, holds(around.body, node)
