"""Runs whose Trainer makes the loss of its own logarithms of probabilities, with no cross entropy and no loss
of the model: over no label it is what that code makes of it, often a constant or what another term leaves. By
the names of `compute_loss` and of the methods that it calls on itself. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Context
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

METHOD = "compute_loss"
_SCORES = ("log_softmax", "logsumexp")
_GIVEN = ("loss", "cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss", METHOD)


def own_loss(project: Project, context: Context) -> Place | None:
    """The first such `compute_loss` of the run; None where another one of the run is not like that."""
    reach = project.reach(context.entry) if context.entry else ()
    found = [(place, own) for function, place, own in project.get(_every) if function in reach]
    return found[0][0] if found and all(own for _, own in found) else None


def _every(project: Project) -> list[tuple[str, Place, bool]]:
    """All of the tree, each with whether it is like that. Use through `project.get`."""
    made = [f for f in project.mentioning(METHOD) if f.name == METHOD and f.owner and not is_stub(f.id)]
    return [(f.id, project.place(f.path, f.node), _own(project, f)) for f in made if f.id in project.trained]


def _own(project: Project, facts: FunctionFacts) -> bool:
    nodes = [n for method in _methods(project, facts) for n in own_nodes(method.node)]
    named = {bare_name(n.func) for n in nodes if isinstance(n, ast.Call)}
    return not named.isdisjoint(_SCORES) and not any(map(_given, nodes))


def _methods(project: Project, facts: FunctionFacts) -> Iterator[FunctionFacts]:
    """The method and those that it calls on itself, one after the other."""
    todo = [facts]
    for method in todo:
        yield method
        for call in (n for n in own_nodes(method.node) if isinstance(n, ast.Call)):
            own = _on_itself(project, facts, call)
            todo += [own] if own is not None and own not in todo else []


def _on_itself(project: Project, facts: FunctionFacts, call: ast.Call) -> FunctionFacts | None:
    func = call.func
    if not isinstance(func, ast.Attribute) or bare_name(func.value) != "self":
        return None
    found = project.resolver.classes.find(f"{facts.path}::{facts.owner}", func.attr)
    return project.index.function(found) if found else None


def _given(node: ast.AST) -> bool:
    """Is it a loss that something else makes: `out.loss`, `out["loss"]`, `out[0]`, a cross entropy, or the
    `compute_loss` of a base?"""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        kept = isinstance(node.value, ast.Attribute) and bare_name(node.value.value) == "self"
        first = node.slice.value == 0 and bare_name(node.value) != "shape"
        return not kept and (first or node.slice.value == "loss")
    return isinstance(node, (ast.Attribute, ast.Name)) and bare_name(node) in _GIVEN and _is_read(node)


def _is_read(node: ast.Attribute | ast.Name) -> bool:
    """A local name `loss` is what the method makes; an attribute is what something has."""
    return isinstance(node.ctx, ast.Load) and (isinstance(node, ast.Attribute) or node.id != "loss")
