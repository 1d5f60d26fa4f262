"""Cross entropies that are a mean over the labels that count: 0/0 where none does. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Call
from mmcodemod.model.frozen import frozen
from mmcodemod.project.ignored_labels import is_ignored
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins
from mmcodemod.project.values import External, Made, Values

FUNCTION = "torch.nn.functional.cross_entropy"
CLASS = "torch.nn.CrossEntropyLoss"
KEYS = ("labels", "label", "targets", "target")
MAX_STEPS = 8
_ENTROPIES: tuple[Values, ...] = (frozenset((External(FUNCTION),)), frozenset((Made(CLASS),)))


@frozen()
class MeanLoss:
    """`call` gives the mean loss of `scores` against what the batch has under `key`."""

    facts: FunctionFacts
    call: ast.Call
    scores: ast.expr
    labels: ast.expr
    key: str


def mean_losses(project: Project) -> list[MeanLoss]:
    """All of them in training code, whose labels come from the batch. Use through `project.get`."""
    named = project.mentioning("cross_entropy", "CrossEntropyLoss")
    return [loss for facts in named if facts.id in project.trained for loss in _of_function(project, facts)]


def _of_function(project: Project, facts: FunctionFacts) -> Iterator[MeanLoss]:
    for node in map(node_of, _entropies(project, facts)):
        given = {k.arg: k.value for k in node.keywords}
        scores = node.args[0] if node.args else given.get("input")
        labels = node.args[1] if len(node.args) > 1 else given.get("target")
        if scores is not None and labels is not None and is_mean(project, node, facts.id):
            key = _key(project, facts, labels)
            if key:
                yield MeanLoss(facts, node, scores, labels, key)


def _entropies(project: Project, facts: FunctionFacts) -> Iterator[Call]:
    """What may be a cross entropy: before the syntax is read."""
    for call in facts.body.calls:
        if len(call.args) + len(call.keywords) > 1:
            if project.values(call.func, facts.id) in _ENTROPIES:
                yield call


def is_mean(project: Project, call: ast.Call, function: str) -> bool:
    """Is a call a cross entropy that is the mean over the labels that count?"""
    values = project.values(call.func, function)
    if values == {External(FUNCTION)}:
        return _plain(project, call, function, 2)
    if values != {Made(CLASS)}:
        return False
    made = Origins(project).of(call.func, function)
    return all(isinstance(o.expr, ast.Call) and _plain(project, o.expr, o.function, 0) for o in made)


def _plain(project: Project, call: ast.Call, function: str, positional: int) -> bool:
    """A mean that leaves out -100: the defaults, or what says the same."""
    given = {k.arg: k.value for k in call.keywords}
    reduction, index = given.get("reduction"), given.get("ignore_index")
    mean = reduction is None or (isinstance(reduction, ast.Constant) and reduction.value == "mean")
    usual = index is None or is_ignored(project, index, function)
    return mean and usual and None not in given and len(call.args) <= positional


def _key(project: Project, facts: FunctionFacts, expr: ast.expr, steps: int = MAX_STEPS) -> str:
    """The batch's key that labels come from, through names, methods and slices; "" when it does not show."""
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
        asked = expr.args[0] if expr.args and expr.func.attr in ("pop", "get") else None
        return _constant(asked) if asked is not None else _key(project, facts, expr.func.value, steps)
    if isinstance(expr, ast.Subscript):
        return _constant(expr.slice) or _key(project, facts, expr.value, steps)
    if not isinstance(expr, ast.Name) or not steps:
        return ""
    if expr.id in facts.parameters.names and expr.id in KEYS:
        return expr.id
    for source in project.resolver.body(facts.id).names.get(expr.id, ()):
        if source.via is Via.VALUE and source.index < 0:
            key = _key(project, facts, source.expr, steps - 1)
            if key:
                return key
    return ""


def _constant(expr: ast.expr) -> str:
    value = expr.value if isinstance(expr, ast.Constant) else None
    return value if isinstance(value, str) and value in KEYS else ""
