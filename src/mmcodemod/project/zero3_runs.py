"""Does a run come to a place while ZeRO-3 keeps the parameters in shards? What the rules on single parameters
share."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.answers import both, doubted, runs_with
from mmcodemod.project.comes_by import leading_to
from mmcodemod.project.differs import by_names
from mmcodemod.project.flow import flow_of
from mmcodemod.project.let_in import comes_in, from_start
from mmcodemod.project.model import Project
from mmcodemod.project.on_hand import no_flag
from mmcodemod.project.parts_of_tests import parts_of
from mmcodemod.project.passes import Seen
from mmcodemod.project.prepared import prepared_before
from mmcodemod.project.settings import truths
from mmcodemod.project.zero3_asked import asks_zero3
from mmcodemod.project.zero_init import config_order


def without_zero3(project: Project, function: str, node: ast.AST) -> Note | None:
    """The test around a place whose outcome there means that ZeRO-3 is off."""
    for asked, outcome in flow_of(project, function).tests(node):
        if _rules_out(project, function, asked.test, outcome):
            at = project.place(function.partition("::")[0], asked)
            return Note(at, project.line(at.path, at.line))
    return None


def _rules_out(project: Project, function: str, test: ast.expr, outcome: bool) -> bool:
    """Does this outcome of a test mean that ZeRO-3 is off?"""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _rules_out(project, function, test.operand, not outcome)
    if isinstance(test, ast.BoolOp):
        each = (_rules_out(project, function, value, outcome) for value in test.values)
        return isinstance(test.op, ast.And) is outcome and any(each)
    return not outcome and asks_zero3(project, test, function)


def comes_sharded(
    project: Project, context: Context, function: str, node: ast.AST, unknown: str = ""
) -> Answer:
    """Does the run with `context` come by `node` under ZeRO-3? `unknown` is a deciding fact that the tree
    leaves open, "" when there is none."""
    answer = doubted(runs_with(project, context, (Strategy.ZERO3,)), unknown)
    if isinstance(answer, Excluded):
        return answer
    return both(answer, by_no_flag(project, context, function, node))


def by_no_flag(project: Project, context: Context, function: str, node: ast.AST) -> Answer:
    """Does a run come to a node by tests that leave no doubt? A flag that nothing decides is an open fact.
    What a run passes with a configuration that nothing launches does not show: that is a note anyway."""
    return project.judging.once(
        context, node, f"by no flag to {function}", lambda run: _by_no_flag(project, run, function, node)
    )


def _by_no_flag(project: Project, context: Context, function: str, node: ast.AST) -> Answer:
    way = comes_in(project, context, function, node, besides=no_flag)
    if context.entry is None:
        return way if isinstance(way, Excluded) else Fatal()
    return both(way, from_start(project, context, function, no_flag)) if isinstance(way, Fatal) else way


def never_handed(project: Project, context: Context, function: str, node: ast.AST) -> Note | None:
    """A test around the place on names that calls of this run hand over, which always leads past it."""
    if context.entry is None or not leading_to(project, context.entry, function):
        return None
    for asked, outcome in flow_of(project, function).tests(node):
        for part in parts_of(asked.test, outcome):
            if by_names(part) and truths(project, context, part, function) == {not outcome}:
                at = project.place(function.partition("::")[0], part)
                told = "never holds" if outcome else "always holds"
                return Note(at, f"`{unparse(part)}` {told} in this run, which leads past it")
    return None


def partitioned_by(project: Project, context: Context, function: str, call: ast.Call, loaded: bool) -> Answer:
    """Are the parameters of the model cut up when the run comes to `call`? `loaded` when `from_pretrained`
    made them: then they are as soon as transformers knows the configuration."""
    prepared = prepared_before(project, context, function, call)
    known = config_order(project, context).before(function, call)
    if prepared is not None and prepared.seen is Seen.ALWAYS:
        return Fatal(Note(min(prepared.at), "takes the model for training: its parameters are cut up here"))
    if loaded and known is not None and known.seen is Seen.ALWAYS:
        return Fatal(Note(min(known.at), "transformers knows the configuration from here on"))
    if prepared is not None and prepared.seen is Seen.NEVER and (known is None or known.seen is Seen.NEVER):
        at = project.place(function.partition("::")[0], call)
        return Excluded(Note(at, "nothing has cut up the parameters before"))
    return Unclear("whether the parameters are cut up by then", plausible=False)
