"""Arguments that a signature lets a call leave out and the function does not: with the default None its body
surely comes to `assert x is not None`, or to `if x is None: raise`. Must-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import last_name
from mmcodemod.facts.python import Parameters
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.facts.terms import Call, Starred
from mmcodemod.model.pattern import regex
from mmcodemod.project.sure_steps import sure_steps

DEMANDS = regex(r"\b(\w+)\s+is\s+(?:not\s+)?None\b")


def left_to_defaults(call: ast.Call | Call, given: Parameters, skip: int) -> set[str]:
    """The parameters that a call leaves to their defaults, the first `skip` being bound; none where it hands
    over what does not show."""
    hidden = any(k.arg is None for k in call.keywords) or any(
        isinstance(a, (ast.Starred, Starred)) for a in call.args
    )
    taken = {*given.positional[: skip + len(call.args)], *(k.arg for k in call.keywords)}
    return set() if hidden else {name for name, _ in given.defaults} - taken


def demanded(node: ast.FunctionDef, left: set[str]) -> tuple[str, str]:
    """A parameter that may not be left to its default None, and what Python says then; "" for none."""
    for name in sorted(left & set(_none_by_default(node.args))):
        error = _error(node, name) if not _is_given_anew(node, name) else ""
        if error:
            return name, error
    return "", ""


def _none_by_default(args: ast.arguments) -> Iterator[str]:
    plain = [*args.posonlyargs, *args.args]
    pairs = zip(plain[len(plain) - len(args.defaults) :], args.defaults, strict=True)
    for arg, default in (*pairs, *zip(args.kwonlyargs, args.kw_defaults, strict=True)):
        if isinstance(default, ast.Constant) and default.value is None:
            yield arg.arg


def _is_given_anew(node: ast.FunctionDef, name: str) -> bool:
    """Does the function bind the name, or the attribute of that name more than once?"""
    stored = [n for n in walk(node) if isinstance(getattr(n, "ctx", None), (ast.Store, ast.Del))]
    attributes = [n for n in stored if isinstance(n, ast.Attribute) and n.attr == name]
    return len(attributes) > 1 or any(isinstance(n, ast.Name) and n.id == name for n in stored)


def _error(node: ast.FunctionDef, name: str) -> str:
    """What the function surely raises where the parameter is None."""
    known = {name}
    for step in sure_steps(node):
        if step.left:
            return ""
        if _is_kept(step.statement, name):
            known.add(f"self.{name}")
        elif len(known) > 1 and _hands_self_on(step.expr):
            known = {name}
        error = _raised(step.statement, known)
        if error:
            return error
    return ""


def _is_kept(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, ast.Assign) and unparse(statement) == f"self.{name} = {name}"


def _hands_self_on(expr: ast.expr) -> bool:
    """May it change the object: by a method of it, or as an argument?"""
    calls = [n for n in own_nodes(expr) if isinstance(n, ast.Call)]
    given = (part for c in calls for part in (*c.args, *(k.value for k in c.keywords)))
    owners = (c.func.value for c in calls if isinstance(c.func, ast.Attribute))
    return "self" in map(unparse, (*given, *owners))


def _raised(statement: ast.stmt, known: set[str]) -> str:
    if isinstance(statement, ast.Assert):
        test = statement.test
        both = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
        parts = map(unparse, test.values if both else [test])  # type: ignore[attr-defined]
        return "AssertionError" if {f"{k} is not None" for k in known}.intersection(parts) else ""
    if isinstance(statement, ast.If) and unparse(statement.test) in {f"{k} is None" for k in known}:
        first = statement.body[0]
        return last_name(first.exc) if isinstance(first, ast.Raise) and first.exc is not None else ""
    return ""
