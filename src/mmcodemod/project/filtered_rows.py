"""Rows of a data set of which only those are kept that have a key: in `__init__`, or where the data set is
made. Must-analysis: every line that binds the rows must filter them so."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.project.arguments import argument
from mmcodemod.project.model import Project
from mmcodemod.project.rows_asked import EACH, Facts, asked, filtered_by

_MAX_DEPTH = 3


def filtered(project: Project, facts: FunctionFacts, taken: ast.Assign) -> Facts:
    """What holds of `row` after `row = self.rows[index]`."""
    value, target = taken.value, taken.targets[0]
    if not isinstance(value, ast.Subscript) or not isinstance(target, ast.Name) or not facts.owner:
        return set()
    held = unparse(value.value)
    if not held.startswith(f"{facts.parameters.first}.") or held.count(".") != 1:
        return set()
    found = project.once(_of_attribute, (facts.path, facts.owner, held.partition(".")[2]))
    return {f"{target.id}{fact[len(EACH) :]}" for fact in found}


def _of_attribute(project: Project, asked_for: tuple[str, str, str]) -> Facts:
    """What holds of each row that a class keeps in an attribute."""
    path, owner, name = asked_for
    cls = project.index.files[path].classes.get(owner)
    methods = cls.methods.values() if cls else ()
    places = [
        (function, node)
        for function in (project.index.function(f"{path}::{method}") for method in methods)
        for node in own_nodes(function.node)
        if isinstance(node, ast.Attribute) and node.attr == name and _changes(function, node)
    ]
    if not places or any(function.name != "__init__" for function, _ in places):
        return set()
    function, last = max(places, key=lambda place: place[1].lineno)
    assigns = [s for s in function.node.body if isinstance(s, ast.Assign) and last in own_nodes(s)]
    value = _value(assigns[0], last) if assigns else None
    return _of_rows(project, function, value, 0) if value is not None else set()


def _changes(function: FunctionFacts, node: ast.Attribute) -> bool:
    """Is it bound there, or may it get more rows (`self.rows.append(...)`, `self.rows += more`)?"""
    if isinstance(node.ctx, ast.Store):
        return True
    grown = (n.func for n in own_nodes(function.node) if isinstance(n, ast.Call))
    return any(
        isinstance(f, ast.Attribute) and f.value is node and f.attr in ("append", "extend", "insert")
        for f in grown
    )


def _value(assign: ast.Assign, target: ast.AST) -> ast.expr | None:
    """What a target gets, also one of `self.a, self.b = a, b`."""
    first, value = assign.targets[0], assign.value
    if first is target:
        return value
    if isinstance(first, ast.Tuple) and isinstance(value, ast.Tuple) and len(first.elts) == len(value.elts):
        return next((v for t, v in zip(first.elts, value.elts, strict=True) if t is target), None)
    return None


def _of_rows(project: Project, facts: FunctionFacts, rows: ast.expr, depth: int) -> Facts:
    """What holds of each row of an expression of a function."""
    if isinstance(rows, ast.ListComp):
        same = unparse(rows.elt) == unparse(rows.generators[0].target)
        return filtered_by(rows) if same else set()
    if isinstance(rows, ast.Call):
        return _by_filter(rows)
    if isinstance(rows, ast.Name) and depth < _MAX_DEPTH:
        return _of_name(project, facts, rows.id, depth)
    return set()


def _by_filter(call: ast.Call) -> Facts:
    """`rows.filter(lambda row: row["file"] is not None)`, `list(filter(lambda row: ..., rows))`."""
    func = call.func
    if isinstance(func, ast.Name) and func.id == "list" and len(call.args) == 1:
        return _by_filter(call.args[0]) if isinstance(call.args[0], ast.Call) else set()
    named = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    test = call.args[0] if named == "filter" and call.args else None
    if not isinstance(test, ast.Lambda) or len(test.args.args) != 1:
        return set()
    name = f"{test.args.args[0].arg}["
    return {f"{EACH}[{f[len(name) :]}" for f in asked(test.body, True) if f.startswith(name)}


def _of_name(project: Project, facts: FunctionFacts, name: str, depth: int) -> Facts:
    """What holds where a name is bound last, or of what all callers pass."""
    if facts.is_module:
        return set()
    binds = [n for n in own_nodes(facts.node) if isinstance(n, ast.Name) and n.id == name]
    binds = [n for n in binds if isinstance(n.ctx, ast.Store)]
    if binds:
        last = max(binds, key=lambda n: n.lineno)
        assigns = [s for s in facts.node.body if isinstance(s, ast.Assign) and last in s.targets]
        return _of_rows(project, facts, assigns[0].value, depth + 1) if assigns else set()
    edges = [e for e in project.callers(facts.id) if e.site is not None]
    passed = [(e.caller.function, argument(e.call, facts, name)) for e in edges]
    found = [
        _of_rows(project, project.index.function(f), p, depth + 1) if p is not None else set()
        for f, p in passed
        if not f.startswith("<")
    ]
    return set.intersection(*found) if found else set()
