"""Values that have the name of the loss of a backward pass, and are another's: `loss` in the loop of an
evaluation. Must-analysis of plain assignments: told apart where no other value of the name can be meant.
Loops are taken to run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import SCOPES, blocks, walk

_INNER = (*SCOPES, ast.Lambda)
_WITHS = (ast.With, ast.AsyncWith)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
PASS = "backward"
_Around = tuple[tuple[list[ast.AST], ast.stmt], ...]  # blocks and the statements in them, innermost first


def other_losses(body: list[ast.stmt]) -> dict[tuple[int, int], str]:
    """The names of their own that such values get in the body of a function, by line and column of each
    `Name` that gives or reads them; the text after the `@` is the line of the assignment."""
    found: dict[tuple[int, int], str] = {}
    names = {name for statement in body for name in _names(statement)}
    for name in sorted(names - _shared(body, names)) if names else ():
        for statement, reads in _Values(name).of(body, ()):
            if not any(_in_pass(part, name) for part in reads):
                own = f"{name}@{statement.lineno}"
                parts = [statement.targets[0], *(n for part in reads for n in _every(part))]
                same = (n for n in parts if isinstance(n, ast.Name) and n.id == name)
                found.update(((n.lineno, n.col_offset), own) for n in same)
    return found


def _names(node: ast.AST) -> set[str]:
    """What backward passes are given, by name."""
    return {n.id for call in _passes(node) for n in _every(call) if isinstance(n, ast.Name)}


def _passes(node: ast.AST) -> Iterator[ast.Call]:
    for part in _every(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == PASS:
            yield part


def _in_pass(part: ast.AST, name: str) -> bool:
    return any(_occurs(call, name) for call in _passes(part))


def _every(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it in the same scope."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack += [n for n in ast.iter_child_nodes(current) if not isinstance(n, _INNER)]


def _shared(body: list[ast.stmt], names: set[str]) -> set[str]:
    """The names that inner functions may read or bind meanwhile."""
    found: set[str] = set()
    for part in (part for statement in body for part in walk(statement)):
        if isinstance(part, (ast.Global, ast.Nonlocal)):
            found.update(part.names)
        elif isinstance(part, _INNER):
            read = {n.id for n in walk(part) if isinstance(n, ast.Name)} & names
            found |= read if isinstance(part, (ast.Lambda, ast.ClassDef)) else read - set(_bound(part))
    return found


def _bound(function: ast.AST) -> Iterator[str]:
    for part in walk(function):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif isinstance(part, ast.arg):
            yield part.arg


def _occurs(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in _every(node))


def _stores(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in _every(node)
    )


def _flat(block: list[ast.stmt]) -> list[ast.AST]:
    """The statements of a block, those of `with` among them."""
    found: list[ast.AST] = []
    for statement in block:
        found += [*statement.items, *_flat(statement.body)] if isinstance(statement, _WITHS) else [statement]
    return found


class _Values:
    """The plain assignments to a name of which all reads are known."""

    def __init__(self, name: str) -> None:
        self._name = name

    def of(self, block: list[ast.stmt], around: _Around) -> Iterator[tuple[ast.Assign, list[ast.AST]]]:
        """Those of a block, each with the code that reads its value."""
        flat = _flat(block)
        for n, statement in enumerate(flat):
            if isinstance(statement, ast.Assign) and self._gives(statement):
                reads = self._reads(flat, n, around)
                if reads is not None:
                    yield statement, reads
            elif isinstance(statement, ast.stmt) and not isinstance(statement, _INNER):
                for inner in blocks(statement):
                    yield from self.of(inner, ((flat, statement), *around))

    def _gives(self, statement: ast.AST) -> bool:
        """Does it give the name a value before it reads it?"""
        if isinstance(statement, _LOOPS):
            head = statement.test if isinstance(statement, ast.While) else statement.iter
            bound = [] if isinstance(statement, ast.While) else [statement.target]
            parts = [p for p in _flat(statement.body) if _occurs(p, self._name)]
            outside = any(_occurs(part, self._name) for part in (head, *bound, *statement.orelse))
            return bool(parts) and not outside and self._gives(parts[0])
        if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
            return False
        target = statement.targets[0]
        return (
            isinstance(target, ast.Name)
            and target.id == self._name
            and not _occurs(statement.value, self._name)
        )

    def _reads(self, flat: list[ast.AST], n: int, around: _Around) -> list[ast.AST] | None:
        """What reads the value that the statement gives; None where another value may be meant, too."""
        reads: list[ast.AST] = []
        for part in flat[n + 1 :]:
            if _stores(part, self._name):
                ends = self._gives(part) and not any(map(_jumps, reads))
                return reads if ends or (self._gives(part) and self._ends(flat[:n], around)) else None
            reads.append(part)
        return reads if self._ends(flat[:n], around) else None

    def _ends(self, before: list[ast.AST], around: _Around) -> bool:
        """Does nothing behind the block read it, nor what stands before it in the next round of a loop?"""
        for block, statement in around:
            beside = [part for part in _beside(statement) if _occurs(part, self._name)]
            if isinstance(statement, _LOOPS) and (beside or self._next(before) is False):
                return False
            if beside and isinstance(statement, ast.Try):
                return False
            at = block.index(statement)
            behind = block[at + 1 :]
            if (following := self._next(behind)) is not None and not (following and any(map(_jumps, behind))):
                return following
            before = [*block[:at], *([statement] if beside else [])]
        return True

    def _next(self, parts: list[ast.AST]) -> bool | None:
        """Is the name given another value before it is read? None where neither is."""
        first = next((part for part in parts if _occurs(part, self._name)), None)
        return None if first is None else self._gives(first)


def _beside(statement: ast.stmt) -> list[ast.AST]:
    """What a compound statement holds besides the blocks that one of its rounds runs: tests, other sides."""
    found: list[ast.AST] = [part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.expr)]
    parts = ("orelse", "handlers", "finalbody", "cases")
    return found + [part for name in parts for part in getattr(statement, name, ())]


def _jumps(part: ast.AST) -> bool:
    return any(isinstance(n, (ast.Break, ast.Continue)) for n in _every(part))
