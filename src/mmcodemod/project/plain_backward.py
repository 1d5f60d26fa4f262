"""`loss.backward()` of a tensor, where what made the loss and what steps next came out of one wrapper that
has a backward pass of its own. May-analysis of the names of one function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge.wrappers import ENGINE, PREPARED
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.project.gradients import Grad, Gradients, before
from mmcodemod.project.inference import inference_only
from mmcodemod.project.model import Project
from mmcodemod.project.wrapping import Wrap, wrapped

BY = (PREPARED, ENGINE)
_MAKERS = ("prepare", "prepare_model", "initialize")
MAX_NAMES = 12


@frozen()
class Raw:
    """`call` in `function` is the backward pass, `step` what steps afterwards; `model` made the loss, and
    `wrap` is what wrapped it. `mixed` when either may also be what nothing wraps."""

    function: str
    call: ast.Call
    step: ast.Call
    model: ast.expr
    wrap: Wrap
    mixed: bool

    @property
    def loss(self) -> ast.expr:
        assert isinstance(self.call.func, ast.Attribute)
        return self.call.func.value


def plain_backwards(project: Project) -> list[Raw]:
    """All of them, in the order of files. Use through `project.get(plain_backwards)`."""
    if not any(True for _ in project.mentioning(*_MAKERS)):
        return []
    found = []
    for facts in project.mentioning("backward"):
        calls = [g.call for g in project.get(Gradients).own(facts.id) if g.kind is Grad.BACKWARD]
        plain = [c for c in calls if isinstance(c.func, ast.Attribute) and not c.args]
        if plain and not inference_only(project, facts):
            found += [raw for call in plain if (raw := _raw(project, facts.id, call)) is not None]
    return found


def _raw(project: Project, function: str, call: ast.Call) -> Raw | None:
    """With the model that made its loss and the step that follows; None where one does not show."""
    assert isinstance(call.func, ast.Attribute)
    model = next(_models(project, function, call.func.value), None)
    if model is None:
        return None
    steps = [c for c in project.calls_of(function, ("step",)) if before(call, c)]
    for step in steps:
        receiver = step.func.value if isinstance(step.func, ast.Attribute) else None
        wrap = wrapped(project, receiver, function) if receiver is not None else None
        if wrap is not None and wrap.by == model[1].by and _optimizes(project, function, step):
            return Raw(function, call, step, model[0], model[1], model[1].mixed or wrap.mixed)
    return None


def _optimizes(project: Project, function: str, step: ast.Call) -> bool:
    """Does it step an optimizer, or what is called as a model is, and not only a schedule?"""
    assert isinstance(step.func, ast.Attribute)
    text, nodes = unparse(step.func.value), own_nodes(project.index.function(function).node)
    own = project.get(Gradients).own(function)
    called = any(isinstance(n, ast.Call) and unparse(n.func) == text for n in nodes)
    return called or any(g.call is step for g in own if g.kind is Grad.STEP)


def _models(project: Project, function: str, loss: ast.expr) -> Iterator[tuple[ast.expr, Wrap]]:
    """The wrapped models that a loss is computed with, by the names of the function."""
    for call in _calls(project, function, loss):
        for part in (call.func, *call.args):
            if isinstance(part, (ast.Name, ast.Attribute)):
                wrap = wrapped(project, part, function)
                if wrap is not None and wrap.by in BY and wrap.inner is None:
                    yield part, wrap


def _calls(project: Project, function: str, loss: ast.expr) -> Iterator[ast.Call]:
    """The calls whose results an expression is made of, through the names of the function."""
    todo, seen = [loss], set[str]()
    while todo and len(seen) < MAX_NAMES:
        for node in walk(todo.pop(0)):
            if isinstance(node, ast.Call):
                yield node
            elif isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                todo += [s.expr for s in project.resolver.body(function).names.get(node.id, ())]


def twice(project: Project, raw: Raw) -> Note | None:
    """The wrapper's own pass over the same loss, where no test tells the two apart."""
    gradients, function = project.get(Gradients), raw.function
    here = gradients.conditions(function, raw.call)
    for other in _own_passes(gradients, function):
        there = gradients.conditions(function, other)
        apart = any(text in there and there[text][1] is not wanted for text, (_, wanted) in here.items())
        if not apart and any(unparse(a) == unparse(raw.loss) for a in other.args):
            at = project.place(function.partition("::")[0], other)
            return Note(at, "the wrapper's own pass runs over the same loss")
    return None


def _own_passes(gradients: Gradients, function: str) -> Iterator[ast.Call]:
    for found in gradients.own(function):
        if found.kind in (Grad.ENGINE, Grad.BACKWARD) and found.call.args:
            yield found.call
