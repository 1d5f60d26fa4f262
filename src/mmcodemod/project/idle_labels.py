"""Runs whose model takes labels and hands them on to nothing: its loss is made of something else, so labels
that are lost change nothing. Must-analysis of the code that is seen: every `forward` of the tree that the run
reaches and that takes labels is like that, and no trainer of the tree reads them from the batch."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

_LABELS = "labels"
_LOSSES = ("compute_loss", "training_step")


def idle_labels(project: Project, context: Context) -> Place | None:
    """The first `forward` of the run that hands labels on to nothing; None where another one uses them."""
    return project.judging.once(context, project, "idle labels", lambda run: _first(project, run))


def _first(project: Project, context: Context) -> Place | None:
    reach = project.reach(context.entry) if context.entry else ()
    named = [f for f in project.mentioning(_LABELS) if f.id in reach and not is_stub(f.id)]
    takes = [f for f in named if _method(f) == "forward" and _LABELS in f.parameters.names]
    reads = any(_method(f) in _LOSSES and b"labels" in project.source(f) for f in named)
    if reads or not takes or not all(map(_idle, takes)):
        return None
    return project.place(takes[0].path, takes[0].node)


def _method(facts: FunctionFacts) -> str:
    return facts.id.rpartition("::")[2].rpartition(".")[2]


def _idle(facts: FunctionFacts) -> bool:
    """Are labels only given to calls that give labels back, as those which lengthen them for images do?"""
    loads = {id(n) for n in own_nodes(facts.node) if _is_labels(n, ast.Load)}
    for node in own_nodes(facts.node):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if any(_is_labels(n, ast.Store) for target in node.targets for n in walk(target)):
                given = (*node.value.args, *(k.value for k in node.value.keywords))
                loads -= {id(argument) for argument in given}
    return not loads


def _is_labels(node: ast.AST, use: type[ast.expr_context]) -> bool:
    return isinstance(node, ast.Name) and node.id == _LABELS and isinstance(node.ctx, use)
