"""Control flow of one function over its structured statements: which code runs on which side of a test.
Exact for if, loops, return, continue and raise; `try` bodies are taken to run to their end."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from mmcodemod.facts.syntax import FunctionNode, blocks

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Arms:
    """What runs only when the test is true, and only when it is false."""

    true: tuple[ast.stmt, ...]
    false: tuple[ast.stmt, ...]


class Flow:
    """Parents and positions of the statements of a function, nested functions left out."""

    def __init__(self, node: FunctionNode) -> None:
        self._parent: dict[int, tuple[ast.stmt | None, list[ast.stmt], int]] = {}
        self.statements: list[ast.stmt] = []
        self._fill(node.body, None)

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
            if isinstance(owner, (ast.For, ast.AsyncFor, ast.While)):
                break
            current = owner
        return found

    def arms(self, statement: ast.If) -> Arms:
        """What only one side runs; a side that leaves the block hands the rest to the other side."""
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
        loops = [a for a in self.ancestors(statement) if isinstance(a, (ast.For, ast.AsyncFor, ast.While))]
        for loop in loops:
            rest += self.following(loop)
        return rest

    def afterwards(self, statement: ast.If) -> list[ast.stmt]:
        """What runs after an `if` whichever side was taken; nothing when a side leaves the function."""
        ends = [body[-1] for body in (statement.body, statement.orelse) if leaves(body)]
        if any(not isinstance(end, (ast.Continue, ast.Break)) for end in ends):
            return []
        found = [] if ends else self.following(statement)
        for around in self.ancestors(statement):
            if isinstance(around, (ast.For, ast.AsyncFor, ast.While)):
                found += self.following(around)
        return found

    def loop_of(self, statement: ast.stmt) -> ast.For | ast.AsyncFor | ast.While | None:
        """The innermost loop around a statement."""
        for ancestor in self.ancestors(statement):
            if isinstance(ancestor, (ast.For, ast.AsyncFor, ast.While)):
                return ancestor
        return None

    def statement_of(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement whose lines and columns hold an expression."""
        best = None
        for statement in self.statements:
            if _holds(statement, node):
                best = statement
        return best


def leaves(body: list[ast.stmt]) -> bool:
    """Does a block always leave (its last statement does, on every path)?"""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and leaves(last.body) and leaves(last.orelse)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return leaves(last.body)
    return isinstance(last, _LEAVES)


def raises(body: list[ast.stmt]) -> bool:
    """Does a block end in `raise`?"""
    return bool(body) and isinstance(body[-1], ast.Raise)


def _holds(statement: ast.stmt, node: ast.AST) -> bool:
    start, end = (statement.lineno, statement.col_offset), (statement.end_lineno, statement.end_col_offset)
    at = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
    return start <= at and at < (end[0] or 0, end[1] or 0)
