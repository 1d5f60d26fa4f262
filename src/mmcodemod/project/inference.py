"""Code that runs for inference only. Must-analysis on decorators, names and tests like `self.training`."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.flow import flow_of
from mmcodemod.project.modality import in_training
from mmcodemod.project.model import Project

_NAMES = regex(
    r"(generate|predict|infer|inference|chat|sample|decode|evaluate|prepare_inputs_for_generation)(_\w+)?|stream_\w+"
)
_WITHOUT = ("no_grad", "inference_mode")
MAX_DEPTH = 3  # calls that lead from a test to a place


def inference_only(project: Project, facts: FunctionFacts) -> Place | None:
    """The line that shows that a function serves inference; None when it may run in training."""
    if any(word in name for word in _WITHOUT for name in facts.decorators) and facts.name != "forward":
        node = facts.node
        for decorator in node.decorator_list if not isinstance(node, ast.Module) else ():
            if any(word in unparse(decorator) for word in _WITHOUT):
                return Place(facts.path, decorator.lineno)
    return Place(facts.path, facts.line) if _NAMES.fullmatch(facts.name) else None


def outside_training(project: Project, function: str, node: ast.AST, depth: int = 0) -> Place | None:
    """A line that keeps every step of training from a place: a test, or what shows that its function, or each
    call of it, serves inference. None when a step may come there."""
    facts = project.index.function(function)
    shown = inference_only(project, facts) or _past(project, facts, node)
    if shown is not None or depth >= MAX_DEPTH:
        return shown
    ways = [
        outside_training(project, edge.caller.function, edge.call, depth + 1) if edge.site else None
        for edge in project.callers(function)
        if not edge.caller.function.startswith("<")
    ]
    known = [at for at in ways if at is not None]
    return min(known) if known and len(known) == len(ways) else None


def _past(project: Project, facts: FunctionFacts, node: ast.AST) -> Place | None:
    """A test around the node that comes out the other way in every step of training."""
    tests = flow_of(project, facts.id).tests(node)
    found = (asked.test for asked, outcome in tests if in_training(asked.test) is (not outcome))
    return next((project.place(facts.path, test) for test in found), None)
