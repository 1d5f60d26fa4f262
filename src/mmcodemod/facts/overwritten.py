"""Assignments whose value another overwrites before anybody looks at it. Must-analysis of straight-line code:
at a jump, in a `try` and for names that inner functions read, nothing is claimed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mmcodemod.facts.syntax import SCOPES, blocks, children
from mmcodemod.model.frozen import frozen

_JUMPS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_INNER = (*SCOPES, ast.Lambda)
_Last = tuple[int, frozenset[str]]  # the id of a statement, and the names that it feeds
_Waiting = dict[str, tuple[_Last, ...]]


@frozen(slots=True)
class Overwritten:
    """`test`: that of the `if` under which it is overwritten, None where it is in any case. `feeds`: the
    names to which plain assignments hand it before. `by`: the statement that makes the new value of the old
    one, by its id."""

    test: ast.expr | None
    feeds: frozenset[str]
    by: int | None = None


def overwritten(body: list[ast.stmt], names: Iterable[str]) -> dict[int, Overwritten]:
    """Those of the plain assignments of a function's body to some names that are overwritten before anything
    but a plain assignment to another name reads them, by the id of the statement."""
    found: dict[int, Overwritten] = {}
    _Block(frozenset(names) - _shared(body), found).walk(body)
    return found


def _shared(body: list[ast.stmt]) -> set[str]:
    """The names that others may read or bind meanwhile."""
    found: set[str] = set()
    for part in (part for statement in body for part in _every(statement)):
        if isinstance(part, _INNER):
            found.update(_read(part))
        elif isinstance(part, (ast.Global, ast.Nonlocal)):
            found.update(part.names)
    return found


def _every(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if current.__class__ is not ast.Name and current.__class__ is not ast.Constant:
            stack += children(current)


def _read(part: ast.AST) -> Iterator[str]:
    for node in _every(part):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


class _Block:
    """The statements of one block after another."""

    def __init__(self, names: frozenset[str], found: dict[int, Overwritten]) -> None:
        self._names, self._found = names, found

    def walk(self, body: list[ast.stmt]) -> _Waiting:
        """The last assignments of the block, which nobody has looked at yet."""
        waiting: _Waiting = {}
        for statement in body:
            self._take(statement, waiting)
            if not isinstance(statement, (*SCOPES, ast.Try)):
                self._enter(statement, waiting)
        return waiting

    def _enter(self, statement: ast.stmt, waiting: _Waiting) -> None:
        """What a branch leaves waits on behind it; what a loop leaves is there in its next round, too."""
        for inner in blocks(statement):
            for name, lasts in self.walk(inner).items():
                if isinstance(statement, (ast.If, ast.With)):
                    waiting[name] = (*waiting.get(name, ()), *lasts)

    def _take(self, statement: ast.stmt, waiting: _Waiting) -> None:
        target = bound_name(statement)
        by = id(statement) if target in waiting and target in _read(statement) else None
        if waiting:
            self._look(statement, target, waiting)
        for last, feeds in waiting.pop(target, ()):
            self._found[last] = Overwritten(None, feeds, by)
        if target and target in self._names:
            waiting[target] = ((id(statement), frozenset()),)

    def _look(self, statement: ast.stmt, target: str, waiting: _Waiting) -> None:
        """What a statement does with the assignments before it."""
        for name, feeds in _bound_instead(statement).items():
            if statement.orelse:  # type: ignore[attr-defined]
                self._end(waiting.pop(name, ()), None, feeds)
            else:
                self._end(waiting.get(name, ()), statement.test, feeds)  # type: ignore[attr-defined]
        if any(isinstance(part, _JUMPS) for part in _every(statement)):
            waiting.clear()
        for name in waiting.keys() & set(_read(statement)):
            if not target:
                del waiting[name]
            elif target != name:
                waiting[name] = tuple((last, feeds | {target}) for last, feeds in waiting[name])

    def _end(
        self, lasts: tuple[_Last, ...], test: ast.expr | None, more: frozenset[str] = frozenset()
    ) -> None:
        for last, feeds in lasts:
            self._found[last] = Overwritten(test, feeds | more)


def _bound_instead(statement: ast.stmt) -> dict[str, frozenset[str]]:
    """The names that the one side of an `if` binds anew, or both sides do, with what they feed before."""
    if not isinstance(statement, ast.If):
        return {}
    asked = set(_read(statement.test))
    bound = {name: feeds for name, feeds in _rebound(statement.body).items() if name not in asked}
    if not statement.orelse:
        return bound
    other = _rebound(statement.orelse)
    return {name: feeds | other[name] for name, feeds in bound.items() if name in other}


def _rebound(body: list[ast.stmt]) -> dict[str, frozenset[str]]:
    """The names that a block binds whatever way it takes, with the names to which it hands them before."""
    bound: dict[str, frozenset[str]] = {}
    feeds: dict[str, set[str]] = {}
    looked: set[str] = set()
    for statement in body:
        if any(isinstance(part, _JUMPS) for part in _every(statement)):
            break
        target = bound_name(statement)
        for name in _read(statement):
            feeds.setdefault(name, set()).add(target)
            looked |= {name} if target in ("", name) else set()
        if target and target not in looked:
            bound.setdefault(target, frozenset(feeds.get(target, ())))
    return bound


def bound_name(statement: ast.stmt) -> str:
    """The name that a plain assignment binds, "" for all else."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target = statement.target
    else:
        return ""
    return target.id if isinstance(target, ast.Name) else ""
