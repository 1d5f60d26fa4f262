"""Control flow of one function over its structured statements: which code runs on which side of a test.
Exact for if, loops, return, continue, raise and exits; `try` bodies are taken to run to their end."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator

from mmcodemod.facts.decided import decided
from mmcodemod.facts.syntax import FunctionNode, blocks, unparse, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project

LOOPS = (ast.For, ast.AsyncFor, ast.While)
Loop = ast.For | ast.AsyncFor | ast.While
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
EXITS = frozenset(("sys.exit", "os._exit", "os.abort", "exit", "quit"))


@frozen()
class Arms:
    """What runs only when the test is true, and only when it is false."""

    true: tuple[ast.stmt, ...]
    false: tuple[ast.stmt, ...]


class Flow:
    """Parents and positions of the statements of a function, nested functions left out."""

    def __init__(self, node: FunctionNode) -> None:
        self._parent: dict[int, tuple[ast.stmt | None, list[ast.stmt], int]] = {}
        self.statements: list[ast.stmt] = []
        self._arms: dict[int, Arms] = {}  # by the id of the test
        self._tests: dict[tuple[int, int], tuple[tuple[ast.If, bool], ...]] = {}  # by where a node starts
        self._fill(node.body, None)
        self._starts = [start_of(statement) for statement in self.statements]

    def _fill(self, body: list[ast.stmt], parent: ast.stmt | None) -> None:
        todo = [(body, parent)]
        while todo:
            block, owner = todo.pop()
            for position, statement in enumerate(block):
                self._parent[id(statement)] = (owner, block, position)
                self.statements.append(statement)
                if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    todo.extend((inner, statement) for inner in blocks(statement))
        self.statements.sort(key=lambda s: (s.lineno, s.col_offset))

    def parent(self, statement: ast.stmt) -> ast.stmt | None:
        """The compound statement that holds this one; None at the top of the function."""
        return self._parent[id(statement)][0]

    def is_elif(self, node: ast.If) -> bool:
        """Is it the `elif` of another `if`?"""
        parent = self.parent(node)
        return isinstance(parent, ast.If) and parent.orelse == [node]

    def ancestors(self, statement: ast.stmt) -> list[ast.stmt]:
        """The compound statements around this one, innermost first."""
        found = []
        current = self.parent(statement)
        while current is not None:
            found.append(current)
            current = self.parent(current)
        return found

    def following(self, statement: ast.stmt) -> list[ast.stmt]:
        """What runs after the statement: its later siblings, then those of what holds it, up to the end
        of the innermost loop or of the function."""
        found: list[ast.stmt] = []
        current: ast.stmt | None = statement
        while current is not None:
            owner, block, position = self._parent[id(current)]
            found += block[position + 1 :]
            if isinstance(owner, LOOPS):
                break
            current = owner
        return found

    def behind(self, statement: ast.stmt) -> list[ast.stmt]:
        """The later statements of its own block."""
        _, block, position = self._parent[id(statement)]
        return block[position + 1 :]

    def before(self, statement: ast.stmt) -> list[ast.stmt]:
        """What runs before the statement, the nearest first: its earlier siblings, then those of what holds
        it, from the beginning of the innermost loop or of the function."""
        found: list[ast.stmt] = []
        current: ast.stmt | None = statement
        while current is not None:
            owner, block, position = self._parent[id(current)]
            found += reversed(block[:position])
            current = None if isinstance(owner, LOOPS) else owner
        return found

    def arms(self, statement: ast.If) -> Arms:
        """What only one side runs; a side that leaves the block hands the rest to the other side."""
        known = self._arms.get(id(statement))
        if known is None:
            known = self._arms[id(statement)] = self._sides(statement)
        return known

    def _sides(self, statement: ast.If) -> Arms:
        true, false = list(statement.body), list(statement.orelse)
        true_leaves, false_leaves = leaves(true), leaves(false)
        if true_leaves and not false_leaves:
            false += self._rest(statement, true)
        elif false_leaves and not true_leaves:
            true += self._rest(statement, false)
        return Arms(tuple(true), tuple(false))

    def _rest(self, statement: ast.If, leaving: list[ast.stmt]) -> list[ast.stmt]:
        """What the side that leaves skips: to the end of the loop for continue, else of the function."""
        rest = self.following(statement)
        if isinstance(leaving[-1], (ast.Continue, ast.Break)):
            return rest
        for loop in self.loops(statement):
            rest += self.following(loop)
        return rest

    def afterwards(self, statement: ast.If) -> list[ast.stmt]:
        """What runs after an `if` whichever side was taken; nothing when a side leaves the function."""
        ends = [body[-1] for body in (statement.body, statement.orelse) if leaves(body)]
        if any(not isinstance(end, (ast.Continue, ast.Break)) for end in ends):
            return []
        found = [] if ends else self.following(statement)
        for loop in self.loops(statement):
            found += self.following(loop)
        return found

    def tests(self, node: ast.AST) -> tuple[tuple[ast.If, bool], ...]:
        """The `if`s of which only one side gets to a node, and which one, in source order. An `elif` whose
        other side leaves says nothing of what follows where a side before it gets there, too. Tests that
        always come out so are none."""
        start = start_of(node)
        if start not in self._tests:
            self._tests[start] = tuple(self._ways(node))
        return self._tests[start]

    def _ways(self, node: ast.AST) -> Iterator[tuple[ast.If, bool]]:
        return (way for way in self.forks(node) if self._asked_before(way[0], node))

    def forks(self, node: ast.AST) -> Iterator[tuple[ast.If, bool]]:
        """The same, and those that not all who get to the node come by: an `elif` that leaves before it."""
        for statement in self.statements[: bisect_right(self._starts, start_of(node))]:
            if isinstance(statement, ast.If):
                arms, only = self.arms(statement), decided(statement.test)
                if any(holds(s, node) for s in arms.true) and only is not True:
                    yield statement, True
                elif any(holds(s, node) for s in arms.false) and only is not False:
                    yield statement, False

    def _asked_before(self, test: ast.If, node: ast.AST) -> bool:
        """Does whoever gets to the node come by the test, as far as other tests go?"""
        return all(self._leads(a, test, node) for a in self.ancestors(test) if isinstance(a, ast.If))

    def _leads(self, outer: ast.If, test: ast.If, node: ast.AST) -> bool:
        """Does the node stand in the outer test, or run only after that side of it which asks the test?"""
        if holds(outer, node):
            return True
        arms = self.arms(outer)
        return any(
            any(holds(s, test) for s in side) and any(holds(s, node) for s in side)
            for side in (arms.true, arms.false)
        )

    def excludes(self, one: ast.AST, other: ast.AST) -> bool:
        """Do two nodes stand on different sides of one test, so that a pass runs one of them alone?"""
        sides = {id(test): side for test, side in self.tests(other)}
        return any(sides.get(id(test), side) is not side for test, side in self.tests(one))

    def around(self, node: ast.AST) -> list[ast.stmt]:
        """The statement that holds a node, and the compound statements around that, innermost first. Nothing
        in a function holds the function itself, which a decorator may guard."""
        statement = node if isinstance(node, ast.stmt) else self.statement_of(node)
        held = statement is not None and id(statement) in self._parent
        return [statement, *self.ancestors(statement)] if held and statement is not None else []

    def loops(self, node: ast.AST) -> list[Loop]:
        """The loops around the statement that holds a node, innermost first."""
        return [a for a in self.around(node)[1:] if isinstance(a, LOOPS)]

    def loop_of(self, node: ast.AST) -> Loop | None:
        """The innermost of them."""
        return next(iter(self.loops(node)), None)

    def statement_of(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement whose lines and columns hold an expression."""
        before = bisect_right(self._starts, start_of(node))
        return next((s for s in reversed(self.statements[:before]) if holds(s, node)), None)


def leaves(body: list[ast.stmt]) -> bool:
    """Does a block always leave (its last statement does, on every path)?"""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and leaves(last.body) and leaves(last.orelse)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return leaves(last.body)
    return isinstance(last, _LEAVES) or _exits(last)


def _exits(statement: ast.stmt) -> bool:
    """`sys.exit(0)`: the process ends there."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    named = isinstance(call, ast.Call) and isinstance(call.func, (ast.Name, ast.Attribute))
    return named and unparse(call.func) in EXITS  # type: ignore[union-attr]


def raises(body: list[ast.stmt]) -> bool:
    """Does a block end in `raise`?"""
    return bool(body) and isinstance(body[-1], ast.Raise)


def holds(outer: ast.AST, inner: ast.AST) -> bool:
    """Does one node stand inside another, or is it that one?"""
    return start_of(outer) <= start_of(inner) < (outer.end_lineno or 0, outer.end_col_offset or 0)  # type: ignore[attr-defined]


def start_of(node: ast.AST) -> tuple[int, int]:
    """Line and column: nodes stand in the source in the order of these."""
    return (node.lineno, node.col_offset)  # type: ignore[attr-defined]


def inline_tests(statement: ast.stmt | None, node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """The tests inside a statement of which one outcome alone gets to a node."""
    for part in walk(statement) if statement is not None else ():
        if isinstance(part, ast.IfExp) and not holds(part.test, node) and part is not node:
            yield from ((part.test, arm is part.body) for arm in (part.body, part.orelse) if holds(arm, node))
        elif isinstance(part, ast.BoolOp):
            before = [v for v in part.values if not holds(v, node)]
            behind = any(holds(v, node) for v in part.values)
            earlier = [v for v in before if start_of(v) < start_of(node)] if behind else []
            yield from ((v, isinstance(part.op, ast.And)) for v in earlier)


def flow_of(project: Project, function: str) -> Flow:
    """The flow of a function, made once."""
    known = project.get(_known)
    if function not in known:
        known[function] = Flow(project.index.function(function).node)
    return known[function]


def _known(project: Project) -> dict[str, Flow]:
    return {}
