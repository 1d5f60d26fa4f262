"""What a function surely does once it is called, in its order: the statements and calls that no test, loop or
`try` keeps it from, up to the first that does not come to its end. Must-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.decided import decided
from mmcodemod.facts.definitions import last_name
from mmcodemod.facts.syntax import is_main_guard
from mmcodemod.model.frozen import frozen
from mmcodemod.project.flow import leaves

_LET_THROUGH = frozenset(
    (
        *(
            "open",
            "no_grad",
            "inference_mode",
            "enable_grad",
            "autocast",
            "device",
            "Init",
            "init_empty_weights",
        ),
        *(
            "main_process_first",
            "local_main_process_first",
            "init_on_device",
            "set_default_dtype",
            "init_weights",
        ),
    )
)
"""Context managers that swallow no exception."""

Test = tuple[ast.expr, bool]
"""A test, and how it comes out."""


@frozen()
class Step:
    """An expression that surely runs, and the statement that holds it. `left`: may the function have returned
    before? `tests` around it, each with the outcome that lets in."""

    statement: ast.stmt
    expr: ast.expr
    left: bool
    tests: tuple[Test, ...] = ()


def sure_steps(node: ast.AST) -> Iterator[Step]:
    """The steps of a function, or of the code of a module."""
    return (step for step in steps_under_tests(node) if not step.tests)


def steps_under_tests(node: ast.AST) -> Iterator[Step]:
    """Those, and what surely runs where tests come out so."""
    yield from _Body((), False).steps(getattr(node, "body", []))


class _Body:
    def __init__(self, tests: tuple[Test, ...], left: bool) -> None:
        self._tests = tests
        self._left = left
        self._ended = False

    def steps(self, body: list[ast.stmt]) -> Iterator[Step]:
        for statement in body:
            if self._ended or is_main_guard(statement):
                continue
            for expr in _expressions(statement):
                yield Step(statement, expr, self._left, self._tests)
            yield from self._inner(statement)
            self._ended |= leaves([statement]) or isinstance(statement, ast.While)

    def _inner(self, statement: ast.stmt) -> Iterator[Step]:
        """What a compound statement surely does, and whether it may return."""
        if isinstance(statement, ast.If) and (sure := decided(statement.test)) is not None:
            yield from self.steps(statement.body if sure else statement.orelse)
        elif isinstance(statement, (ast.With, ast.Try)) and _lets_exceptions_out(statement):
            yield from self.steps(statement.body)
        elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from self._branches(statement)
            self._left |= any(isinstance(n, ast.Return) for n in own_nodes(statement))

    def _branches(self, statement: ast.stmt) -> Iterator[Step]:
        for body, outcome in _sides(statement):
            yield from _Body((*self._tests, (statement.test, outcome)), self._left).steps(body)  # type: ignore[attr-defined]


def _sides(statement: ast.stmt) -> list[tuple[list[ast.stmt], bool]]:
    """The bodies of a test, each with its outcome."""
    return [(statement.body, True), (statement.orelse, False)] if isinstance(statement, ast.If) else []


def _lets_exceptions_out(statement: ast.With | ast.Try) -> bool:
    if isinstance(statement, ast.Try):
        return not statement.handlers and not any(isinstance(n, ast.Return) for n in statement.finalbody)
    return all(last_name(item.context_expr) in _LET_THROUGH for item in statement.items)


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """Those that run first of all, or at all, in their order."""
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)):
        yield from [statement.value] if statement.value is not None else []
    elif isinstance(statement, (ast.If, ast.While, ast.Assert)):
        yield statement.test
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        yield statement.iter
    elif isinstance(statement, ast.Raise) and statement.exc is not None:
        yield statement.exc
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        yield statement.items[0].context_expr


def sure_parts(expr: ast.expr) -> Iterator[ast.expr]:
    """What evaluating an expression surely evaluates, in its order: itself last."""
    for part in _evaluated(expr):
        yield from sure_parts(part)
    yield expr


def sure_calls(expr: ast.expr) -> Iterator[ast.Call]:
    """The calls that evaluating an expression surely makes, in their order."""
    return (part for part in sure_parts(expr) if isinstance(part, ast.Call))


def sure_names(expr: ast.expr) -> Iterator[ast.Name]:
    """The names that evaluating an expression surely reads, in their order."""
    if isinstance(expr, ast.Name) and isinstance(expr.ctx, ast.Load):
        yield expr
    for part in _evaluated(expr):
        yield from sure_names(part)


def sure_attributes(expr: ast.expr) -> Iterator[ast.Attribute]:
    """The attributes that evaluating an expression surely reads."""
    if isinstance(expr, ast.Attribute) and isinstance(expr.ctx, ast.Load):
        yield expr
    for part in _evaluated(expr):
        yield from sure_attributes(part)


def _evaluated(expr: ast.expr) -> Iterator[ast.expr]:
    if isinstance(expr, ast.BoolOp):
        yield expr.values[0]
    elif isinstance(expr, ast.IfExp):
        yield expr.test
    elif isinstance(expr, ast.Compare):
        yield from (expr.left, expr.comparators[0])
    elif isinstance(expr, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        yield expr.generators[0].iter
    elif not isinstance(expr, ast.Lambda):
        for child in ast.iter_child_nodes(expr):
            if isinstance(child, ast.expr):
                yield child
            elif isinstance(child, ast.keyword):
                yield child.value
