"""The structured statement skeleton of one function: what is called under which tests, and what may leave it.
Pure: positions, names and call ordinals only. Python is structured, so no control flow graph is needed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mmcodemod.facts.match_cases import case_tests
from mmcodemod.facts.reads import Form, Others, Reader, Reads
from mmcodemod.facts.syntax import FunctionNode, children, is_main_guard

Block = tuple[Any, ...]  # of Step
At = tuple[int, int]  # 1-based line, 0-based utf8 column


class Run(NamedTuple):
    """A call, by its ordinal in the function."""

    call: int


class Branch(NamedTuple):
    """`if`, a conditional expression, or what a short circuit skips (`then` alone). `kind` is the node's
    class."""

    at: At
    kind: str
    test: Form
    then: Block
    orelse: Block


class Loop(NamedTuple):
    """`for` over what `reads` gives, or `while` of a test; `orelse` runs when nothing breaks out."""

    at: At
    test: Form | None
    reads: Reads
    body: Block
    orelse: Block


class Try(NamedTuple):
    """`handlers` are the blocks of `except` clauses."""

    at: At
    body: Block
    handlers: tuple[Block, ...]
    orelse: Block
    final: Block


class With(NamedTuple):
    """A block inside one context manager, which `reads` give: the call that makes it, a variable, ..."""

    at: At
    reads: Reads
    body: Block


class Imports(NamedTuple):
    """An import statement, which may run modules."""

    at: At


class Leave(NamedTuple):
    """`kind` is return, raise, break or continue."""

    at: At
    kind: str


Step = Run | Branch | Loop | Try | With | Imports | Leave
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
MAX_DEPTH = 200  # statements nested deeper are left out


def inner_blocks(step: Step) -> tuple[Block, ...]:
    """The blocks that a step holds."""
    if isinstance(step, Branch):
        return step.then, step.orelse
    if isinstance(step, Loop):
        return step.body, step.orelse
    if isinstance(step, Try):
        return step.body, *step.handlers, step.orelse, step.final
    return (step.body,) if isinstance(step, With) else ()


def skeleton_of(node: FunctionNode, calls: Sequence[ast.Call], others: Others) -> Block:
    """The skeleton of a function or module; `calls` are its own calls in source order: their ordinals;
    `others` the names of their own for values that share a name."""
    body: Iterable[ast.stmt] = node.body
    if isinstance(node, ast.Module):
        body = [s for s in body if not is_main_guard(s)]
    return _Builder({id(call): n for n, call in enumerate(calls)}, others).block(body, 0)


class _Builder:
    def __init__(self, ordinals: dict[int, int], others: Others) -> None:
        self._ordinals = ordinals
        self._reader = Reader(ordinals, others)

    def block(self, body: Iterable[ast.stmt], depth: int) -> Block:
        if depth > MAX_DEPTH:
            return ()
        return tuple(step for statement in body for step in self._statement(statement, depth + 1))

    def _statement(self, node: ast.stmt, depth: int) -> Iterator[Step]:
        at = (node.lineno, node.col_offset)
        if isinstance(node, ast.If):
            yield from self._in(node.test)
            then, orelse = self.block(node.body, depth), self.block(node.orelse, depth)
            if then or orelse:
                yield Branch(at, "If", self._reader.test(node.test), then, orelse)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            yield from self._in(node.iter)
            body, orelse = self.block(node.body, depth), self.block(node.orelse, depth)
            yield Loop(at, None, self._reader.reads(node.iter), body, orelse)
        elif isinstance(node, ast.While):
            body = (*self._in(node.test), *self.block(node.body, depth))
            yield Loop(at, self._reader.test(node.test), (), body, self.block(node.orelse, depth))
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            yield from self._with(node, list(node.items), depth)
        elif isinstance(node, ast.Match):
            yield from self._match(node, depth)
        elif isinstance(node, ast.Try) or node.__class__.__name__ == "TryStar":
            yield self._try(node, depth)  # type: ignore[arg-type]
        else:
            yield from self._simple(node)

    def _with(self, node: ast.With | ast.AsyncWith, items: list[ast.withitem], depth: int) -> Iterator[Step]:
        if not items:
            yield from self.block(node.body, depth)
            return
        expr = items[0].context_expr
        yield from self._in(expr)
        inside = tuple(self._with(node, items[1:], depth))
        yield With((node.lineno, node.col_offset), self._reader.reads(expr), inside)

    def _match(self, node: ast.Match, depth: int) -> Iterator[Step]:
        """A chain of tests on the subject."""
        yield from self._in(node.subject)
        rest: Block = ()
        for case, test in reversed(list(case_tests(self._reader, node))):
            at, then = (case.pattern.lineno, case.pattern.col_offset), self.block(case.body, depth)
            rest = (Branch(at, "match_case", test, then, rest),) if test is not None else then
        yield from rest

    def _try(self, node: ast.Try, depth: int) -> Try:
        handlers = tuple(self.block(h.body, depth) for h in node.handlers)
        body, orelse = self.block(node.body, depth), self.block(node.orelse, depth)
        return Try((node.lineno, node.col_offset), body, handlers, orelse, self.block(node.finalbody, depth))

    def _simple(self, node: ast.stmt) -> Iterator[Step]:
        at = (node.lineno, node.col_offset)
        if isinstance(node, _SCOPES):
            for decorator in node.decorator_list:
                yield from self._in(decorator)
            return
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield Imports(at)
        if isinstance(node, ast.Assert):
            yield from self._in(node.test)
            yield Branch(at, "Assert", self._reader.form(node.test), (), (Leave(at, "raise"),))
            return
        for child in children(node):
            yield from self._in(child)
        kind = _LEAVES.get(node.__class__)
        if kind:
            yield Leave(at, kind)

    def _in(self, node: ast.AST) -> Iterator[Step]:
        """The calls of an expression in the order in which they are made, with what only sometimes runs."""
        if isinstance(node, _SCOPES):
            return
        if isinstance(node, ast.IfExp):
            yield from self._in(node.test)
            then, orelse = tuple(self._in(node.body)), tuple(self._in(node.orelse))
            if then or orelse:
                at = (node.lineno, node.col_offset)
                yield Branch(at, "IfExp", self._reader.test(node.test), then, orelse)
        elif isinstance(node, ast.BoolOp):
            yield from self._short_circuit(node)
        elif isinstance(node, _COMPREHENSIONS):
            yield from self._comprehension(node)
        else:
            for child in children(node):
                yield from self._in(child)
            if isinstance(node, ast.Call) and id(node) in self._ordinals:
                yield Run(self._ordinals[id(node)])

    def _short_circuit(self, node: ast.BoolOp) -> Iterator[Step]:
        yield from self._in(node.values[0])
        for n, value in enumerate(node.values[1:], 1):
            steps = tuple(self._in(value))
            if steps:
                form = self._reader.joined(node.op, node.values[:n])
                form = form if isinstance(node.op, ast.And) else ("not", form)
                yield Branch((value.lineno, value.col_offset), "BoolOp", form, steps, ())

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> Iterator[Step]:
        first = node.generators[0]
        yield from self._in(first.iter)
        inner = [s for child in children(node) if child is not first for s in self._in(child)]
        if inner:
            yield Loop((node.lineno, node.col_offset), None, self._reader.reads(first.iter), tuple(inner), ())


_LEAVES: dict[type, str] = {
    ast.Return: "return",
    ast.Raise: "raise",
    ast.Break: "break",
    ast.Continue: "continue",
}
