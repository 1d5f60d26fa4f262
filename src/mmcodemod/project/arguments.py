"""What callers pass for a parameter, and code that runs only when somebody passes one."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.signatures import bound_first


def argument(call: ast.Call | None, facts: FunctionFacts, name: str) -> ast.expr | None:
    """The expression that a call passes for the parameter `name`; None when it passes none that shows."""
    if call is None or isinstance(facts.node, ast.Module):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = _positional(facts)
    if name in names and names.index(name) < len(call.args):
        found = call.args[names.index(name)]
        return None if isinstance(found, ast.Starred) else found
    return None


def spread_argument(call: ast.Call | None, facts: FunctionFacts, name: str) -> tuple[ast.expr | None, int]:
    """`main(*parser.parse())`: what a call spreads that ends in the parameter `name`, and which element of it
    that is; (None, -1) where anything else may be it."""
    names = _positional(facts)
    spread = call.args[-1] if call and call.args else None
    if call is None or name not in names or not isinstance(spread, ast.Starred):
        return None, -1
    index = names.index(name) - (len(call.args) - 1)
    several = any(isinstance(a, ast.Starred) for a in call.args[:-1])
    if index < 0 or several or call.keywords or not isinstance(spread.value, _SPREAD):
        return None, -1
    return spread.value, index


_SPREAD = (ast.Call, ast.Tuple, ast.List)


def _positional(facts: FunctionFacts) -> list[str]:
    """The parameters that a call may give by their place."""
    if isinstance(facts.node, ast.Module):
        return []
    args = facts.node.args
    return [a.arg for a in (*args.posonlyargs, *args.args)][bound_first(facts) :]


def given_at(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """What a call passes for a parameter, by its 0-based position or its name; None where none shows."""
    plain = call.args[: position + 1]
    if len(plain) > position and not any(isinstance(a, ast.Starred) for a in plain):
        return plain[position]
    return next((k.value for k in call.keywords if k.arg == name), None)


def never_given(project: Project, facts: FunctionFacts, name: str) -> bool:
    """Is it a parameter, None by default, for which no caller in the tree passes anything?"""
    return name in optional(facts) and not _passed(project, facts, name)


def switched_off(project: Project, facts: FunctionFacts, node: ast.AST) -> str | None:
    """The parameter, None by default, that guards `node` and that no caller in the tree passes."""
    for test, outcome in flow_of(project, facts.id).tests(node):
        name = _asked(test.test) if outcome else None
        if name and never_given(project, facts, name):
            return name
    return None


def _asked(test: ast.expr) -> str | None:
    """The name in `if name:` or `if name is not None:`."""
    if isinstance(test, ast.Name):
        return test.id
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and len(test.ops) == 1:
        return test.left.id if isinstance(test.ops[0], (ast.IsNot, ast.NotEq)) else None
    return None


def handed(project: Project, context: Context, facts: FunctionFacts, node: ast.AST) -> Note | None:
    """Where a run's callers give the parameter that a test in front of `node` wants to be missing; None where
    one of them leaves it out, or no test asks for it."""
    if context.entry is None:
        return None
    reach = project.reach(context.entry)
    asked = {_missing(t.test) for t, outcome in flow_of(project, facts.id).tests(node) if outcome}
    edges = [e for e in project.callers(facts.id) if e.site is not None and e.caller.function in reach]
    for name in sorted(asked & optional(facts)):
        if edges and all(_gives(edge.call, facts, name) for edge in edges):
            path, line = min((e.caller.function.partition("::")[0], e.line) for e in edges)
            return Note(Place(path, line), f"passes `{name}`")
    return None


def _missing(test: ast.expr) -> str:
    """The name in `if name is None:` or `if not name:`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return getattr(test.operand, "id", "")
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.Eq)):
        is_none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        return getattr(test.left, "id", "") if is_none and len(test.ops) == 1 else ""
    return ""


def _gives(call: ast.Call | None, facts: FunctionFacts, name: str) -> bool:
    given = argument(call, facts, name)
    return given is not None and not (isinstance(given, ast.Constant) and given.value is None)


def optional(facts: FunctionFacts) -> frozenset[str]:
    """The parameters that are None, or empty, by default."""
    if isinstance(facts.node, ast.Module):
        return frozenset()
    args = facts.node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [*zip(reversed(positional), reversed(args.defaults)), *zip(args.kwonlyargs, args.kw_defaults)]
    return frozenset(a.arg for a, d in pairs if isinstance(d, ast.Constant) and not d.value)


def _passed(project: Project, facts: FunctionFacts, name: str) -> bool:
    calls = [e.call for e in project.callers(facts.id) if e.site is not None]
    return any(argument(call, facts, name) is not None or spreads(call) for call in calls) or not calls


def spreads(call: ast.Call) -> bool:
    """`*args` or `**kwargs`: what it passes does not show."""
    return any(k.arg is None for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args)
