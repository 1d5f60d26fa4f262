"""Preference losses with a cross entropy in the sum: a mean over no label is NaN, and NaN times any factor, 0
too, is NaN. By the sums of what the preference loss and a mean cross entropy of its class return, followed by
the names of a function. May-analysis; tests around the sum decide or are open.

Source: `CrossEntropyLoss` on https://docs.pytorch.org/docs/stable/nn.html (reduction "mean").
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.project.flow import flow_of
from mmcodemod.project.mean_losses import is_mean
from mmcodemod.project.model import Project
from mmcodemod.project.preferences import CALLS, preferring
from mmcodemod.project.settings import truths
from mmcodemod.project.values import ClassRef

_WORDS = ("cross_entropy", "CrossEntropyLoss")


@frozen()
class Added:
    """The sum; `sure` where no test that is open decides whether it is made."""

    note: Note
    sure: bool


@frozen()
class _Sum:
    """`node` in `function`; `entropies` are the calls that compute one, each with its function."""

    function: FunctionFacts
    node: ast.AST
    entropies: tuple[tuple[FunctionFacts, ast.Call], ...]


def entropy_added(project: Project, context: Context) -> Added | None:
    """Where the preference loss of a run gets one; a sure place before an open one."""
    reach = project.reach(context.entry) if context.entry else ()
    sums = [s for s in project.get(_sums) if s.function.id in reach]
    found = [added for s in sums if (added := _added(project, context, s)) is not None]
    return max(found, key=lambda a: a.sure, default=None)


def _added(project: Project, context: Context, found: _Sum) -> Added | None:
    """None where a setting of the run leads past it."""
    places = [(found.function, found.node), *found.entropies]
    tests = [(t.test, o, f.id) for f, n in places for t, o in flow_of(project, f.id).tests(n)]
    comes = [(truths(project, context, test, function), outcome) for test, outcome, function in tests]
    if any(outcome not in truth for truth, outcome in comes):
        return None
    at = project.place(found.function.path, found.node)
    note = Note(at, "the loss adds a mean cross entropy, which is NaN over no label")
    return Added(note, all(truth == {outcome} for truth, outcome in comes))


def _sums(project: Project) -> list[_Sum]:
    """All of them. Use through `project.get`."""
    named = (
        [f for f in project.mentioning(*_WORDS) if f.id in project.trained] if project.get(preferring) else []
    )
    computing = [
        (f, c) for f in named for c in project.resolver.body(f.id).calls if is_mean(project, c, f.id)
    ]
    found: list[_Sum] = []
    for function, _ in project.get(preferring) if computing else ():
        preference = project.index.function(function)
        peers = [(f, c) for f, c in computing if _same(project, f, preference)]
        for facts in _summing(project, preference) if peers else ():
            found += _of_function(project, facts, preference, peers)
    return found


def _same(project: Project, one: FunctionFacts, other: FunctionFacts) -> bool:
    """Are they one function, or methods of one class or of a class and its base?"""
    if one.id == other.id:
        return True
    if not (one.owner and other.owner):
        return False
    first, second = f"{one.path}::{one.owner}", f"{other.path}::{other.owner}"
    return second in _bases(project, first) or first in _bases(project, second)


def _bases(project: Project, cls: str) -> set[str]:
    """The class and its bases in the tree."""
    return {base.cls for base in project.resolver.classes.mro(cls) if isinstance(base, ClassRef)}


def _summing(project: Project, preference: FunctionFacts) -> list[FunctionFacts]:
    """The function that computes a preference loss, and those that call it."""
    callers = {e.caller.function for e in project.callers(preference.id) if e.site is not None}
    return [preference, *(project.index.function(c) for c in sorted(callers - {preference.id}))]


def _of_function(
    project: Project,
    facts: FunctionFacts,
    preference: FunctionFacts,
    peers: list[tuple[FunctionFacts, ast.Call]],
) -> Iterator[_Sum]:
    prefers = _calls(project, facts, preference, project.calls_of(preference.id, CALLS))
    entropies = {i: p for p in peers for i in _calls(project, facts, p[0], (p[1],))}
    for node in own_nodes(facts.node):
        for one, other in _sides(node):
            left, right = _made_of(project, facts, one), _made_of(project, facts, other)
            if left & prefers and right & entropies.keys() and not right & prefers:
                yield _Sum(facts, node, tuple(entropies[i] for i in sorted(right & entropies.keys())))


def _calls(
    project: Project, facts: FunctionFacts, function: FunctionFacts, own: Iterable[ast.Call]
) -> set[int]:
    """The calls in `facts` that give what the calls `own` of a function give."""
    if facts.id == function.id:
        return {id(call) for call in own}
    return {id(e.call) for e in project.callers(function.id) if e.caller.function == facts.id and e.call}


def _sides(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """The two sides of `a + b`, and of `a += b`, both ways round."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [(node.left, node.right), (node.right, node.left)]
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return [(node.target, node.value)]
    return []


def _made_of(project: Project, facts: FunctionFacts, expr: ast.expr) -> set[int]:
    """The calls that a value is made of, through the names of the function."""
    names, calls, todo = set[str](), set[int](), [expr]
    while todo:
        for node in walk(todo.pop()):
            if isinstance(node, ast.Call):
                calls.add(id(node))
            elif isinstance(node, ast.Name) and node.id not in names:
                names.add(node.id)
                todo += [s.expr for s in project.resolver.body(facts.id).names.get(node.id, ())]
    return calls
