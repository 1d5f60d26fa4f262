"""Where a run takes the first label of a sample that counts, by index: `labels.ne(-100).nonzero()[0]`. A
sample without one stops it there with IndexError. Must-analysis: of a plain comparison, which may be of an
array, only `[0][0]` counts, and nothing inside a `try`."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.project.flow import flow_of
from mmcodemod.project.ignored_labels import is_ignored
from mmcodemod.project.model import Project

_FINDS = ("nonzero", "argwhere", "where")


def first_label(project: Project, context: Context) -> Note | None:
    """The first such place that a run reaches."""
    if context.entry is None:
        return None
    reach = project.reach(context.entry)
    return next((note for function, note in project.get(_every) if function in reach), None)


def _every(project: Project) -> list[tuple[str, Note]]:
    return [
        (facts.id, _note(project, facts, node))
        for facts in project.mentioning(*(f"{name}(" for name in _FINDS))
        if facts.id in project.trained and project.calls_of(facts.id, _FINDS)
        for node in own_nodes(facts.node)
        if isinstance(node, ast.Subscript) and _takes_first(project, facts, node)
        if not any(isinstance(s, ast.Try) for s in flow_of(project, facts.id).around(node))
    ]


def _note(project: Project, facts: FunctionFacts, node: ast.Subscript) -> Note:
    text = f"a sample without labels stops the run with IndexError: `{unparse(node)}`"
    return Note(project.place(facts.path, node), text)


def _takes_first(project: Project, facts: FunctionFacts, node: ast.Subscript) -> bool:
    steps = 0
    found: ast.expr = node
    while isinstance(found, ast.Subscript) and _number(found.slice):
        steps, found = steps + 1, found.value
    if not isinstance(found, ast.Call) or not isinstance(found.func, ast.Attribute):
        return False
    if found.func.attr not in _FINDS:
        return False
    asked = found.args[0] if found.args else found.func.value
    plural = found.func.attr == "where" or any(k.arg == "as_tuple" for k in found.keywords)
    return any(
        steps > (plural or isinstance(e, ast.Compare))
        for e in (asked, *_given(project, facts, asked))
        if _counts(project, facts, e)
    )


def _number(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, int)


def _given(project: Project, facts: FunctionFacts, expr: ast.expr) -> list[ast.expr]:
    """What a name holds, when it is given one value alone."""
    names = project.resolver.body(facts.id).names
    sources = names.get(expr.id, ()) if isinstance(expr, ast.Name) else ()
    return [s.expr for s in sources if s.via is Via.VALUE and len(sources) == 1]


def _counts(project: Project, facts: FunctionFacts, expr: ast.expr) -> bool:
    """`labels != -100`, `labels.ne(-100)`"""
    if isinstance(expr, ast.Compare) and len(expr.ops) == 1:
        return isinstance(expr.ops[0], ast.NotEq) and is_ignored(project, expr.comparators[0], facts.id)
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and len(expr.args) == 1:
        return expr.func.attr == "ne" and is_ignored(project, expr.args[0], facts.id)
    return False
