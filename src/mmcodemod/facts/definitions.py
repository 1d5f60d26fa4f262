"""What definitions mean to the names they bind: decorators, lambdas as functions, bound names."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def own_expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement that run in its own scope, in source order: not its blocks."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.arguments):
            yield from (*child.defaults, *(d for d in child.kw_defaults if d))
        elif isinstance(child, (ast.withitem, ast.keyword, ast.ExceptHandler, ast.match_case)):
            yield from (c for c in ast.iter_child_nodes(child) if isinstance(c, ast.expr))


def named_lambda(node: ast.Lambda, number: int) -> ast.FunctionDef:
    """The function that a lambda is."""
    given = ast.copy_location(ast.Return(node.body), node.body)
    made = ast.FunctionDef(f"<lambda{number}>", node.args, [given], [], None)
    return ast.copy_location(made, node)


# Decorators that are read off the definition itself, or say nothing about what the name becomes.
PLAIN_DECORATORS = frozenset(
    ("property", "cached_property", "staticmethod", "classmethod", "setter", "getter", "deleter")
)
PLAIN_DECORATORS |= frozenset(
    ("dataclass", "abstractmethod", "wraps", "no_grad", "overload", "contextmanager")
)


def last_name(expr: ast.expr) -> str:
    """The last part of what is named or called: `no_grad` of `@torch.no_grad()`."""
    return bare_name(expr.func if isinstance(expr, ast.Call) else expr)


def bare_name(node: ast.AST) -> str:
    """The last part of a name: `step` of `a.step` and of `step`, "" of anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_setter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Does it set or delete a property?"""
    return any(last_name(d) in ("setter", "deleter") for d in node.decorator_list)


def loosely_bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds otherwise than by `name = value`."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = [t for t in statement.targets if not isinstance(t, ast.Name)]
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        targets = [statement.target]
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        targets = [i.optional_vars for i in statement.items if i.optional_vars]
    elif isinstance(statement, ast.Try):
        yield from (h.name for h in statement.handlers if h.name)
    for target in targets:
        yield from bound_names(target)


def bound_names(target: ast.expr) -> Iterator[str]:
    """The names that an assignment target binds."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Starred):
        yield from bound_names(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from bound_names(element)
