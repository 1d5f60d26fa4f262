"""Do ranks take a backward pass together, so that one that comes past it leaves the others waiting?"""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse
from mmcodemod.knowledge.wrappers import TRAINERS
from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project import forwards
from mmcodemod.project.answers import both
from mmcodemod.project.flow import flow_of
from mmcodemod.project.gradients import Grad, GradCall
from mmcodemod.project.guards import conjuncts
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.several import several_ranks
from mmcodemod.project.skipped import skipped_by
from mmcodemod.project.wrapping import Wrap

_JOINS = ("join", "Join", "join_uneven_inputs")
_OPEN = "whether the ranks train one model: nothing that shows wraps it"


@frozen()
class Wrapped:
    """What makes a pass wait for other ranks: the line, and the wrapped model where one shows."""

    at: Place
    call: ast.Call | None = None
    wrap: Wrap | None = None


def wrapped_for(project: Project, passed: GradCall, *functions: str) -> Wrapped | None:
    """What wraps the model whose gradients a pass takes; looked for in the functions, too."""
    at = project.place(passed.path, passed.call)
    if passed.kind is Grad.ENGINE or passed.accelerated or _in_trainer(project, passed.function):
        found = forwards.runs(project, passed.function)
        return Wrapped(at, *found) if found else Wrapped(at)
    for function in dict.fromkeys((passed.function, *functions)):
        found = forwards.runs(project, function)
        if found is not None:
            wrap = found[1]
            where = project.place(wrap.origin.function.partition("::")[0], wrap.origin.expr)
            return Wrapped(where, *found)
    return None


def _in_trainer(project: Project, function: str) -> bool:
    facts = project.index.function(function)
    if not facts.owner:
        return False
    bases = project.resolver.classes.external_bases(f"{facts.path}::{facts.owner}")
    return not TRAINERS.isdisjoint(bases)


def waits(
    project: Project, context: Context, function: str, node: ast.stmt, wrapped: Wrapped | None
) -> Answer:
    """Fatal where several ranks of a run wait for each other in the pass, and the run lets the test at `node`
    decide."""
    off = _off(project, context, function, node) or _joined(project, function, node)
    off = off or skipped_by(project, context, function, node)
    if off is not None:
        return Excluded(off)
    sharded = context.strategy not in (Strategy.UNKNOWN, Strategy.SINGLE, Strategy.DDP)
    together = Fatal() if wrapped or sharded else Unclear(_OPEN, plausible=False)
    return both(several_ranks(project, context), together)


def _off(project: Project, context: Context, function: str, node: ast.stmt) -> Note | None:
    """A part of the test that is false in this run."""
    test = getattr(node, "test", None)
    if not isinstance(test, ast.expr) or context.entry is None:
        return None
    settings = Settings(project, context)
    for part in conjuncts(test):
        if settings.truths(part, function) == {False}:
            at = project.place(function.partition("::")[0], part)
            return Note(at, f"`{unparse(part)}` does not hold in this run")
    return None


def _joined(project: Project, function: str, node: ast.stmt) -> Note | None:
    """`with model.join():` answers for a rank that has no batch."""
    for around in flow_of(project, function).ancestors(node):
        for item in around.items if isinstance(around, ast.With) else ():
            call = item.context_expr
            if isinstance(call, ast.Call) and unparse(call.func).rpartition(".")[2] in _JOINS:
                at = project.place(function.partition("::")[0], call)
                return Note(at, "the others are answered for a rank that takes no part")
    return None
