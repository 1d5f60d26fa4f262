"""What is surely evaluated, bound and left in a piece of syntax, whatever its names are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.facts.syntax import SCOPES
from mmcodemod.project.flow import LOOPS

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def evaluated(expr: ast.expr) -> Iterator[ast.expr]:
    """The parts of an expression that are surely evaluated with it."""
    if isinstance(expr, _COMPREHENSIONS):
        yield expr.generators[0].iter
    elif isinstance(expr, ast.Compare):
        yield from (expr.left, expr.comparators[0])
    elif not isinstance(expr, ast.Lambda):
        yield from (part for part in ast.iter_child_nodes(expr) if isinstance(part, ast.expr))


def bound(arguments: ast.arguments, call: ast.Call, skip: int) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of a function with what a call gives for them."""
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][skip:]
    for name, value in zip(names, call.args):
        if isinstance(value, ast.Starred):
            return
        yield name, value
    yield from ((k.arg, k.value) for k in call.keywords if k.arg)


def jumps(body: Sequence[ast.AST]) -> Iterator[ast.stmt]:
    """The `return`s in a block, and the jumps out of a loop around it."""
    for statement in body:
        if isinstance(statement, (ast.Return, ast.Continue, ast.Break)):
            yield statement
        elif not isinstance(statement, SCOPES):
            inside = jumps([n for n in ast.iter_child_nodes(statement) if not isinstance(n, ast.expr)])
            loop = isinstance(statement, LOOPS)
            yield from (j for j in inside if not loop or isinstance(j, ast.Return))


def touches_self(call: ast.Call) -> bool:
    """May a call change the object that it stands in: a method of it, or one that it is handed to?"""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    given = (*call.args, *(k.value for k in call.keywords))
    own = isinstance(owner, ast.Call) or getattr(owner, "id", "") == "self"
    return own or any(isinstance(g, ast.Name) and g.id == "self" for g in given)
