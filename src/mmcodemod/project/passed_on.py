"""What the calls of one way to a collective pass for parameters decides tests there: other callers of the
same functions are not asked, as they are where a test stands alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.option import UNKNOWN
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.parts_of_tests import parts_of
from mmcodemod.project.passings import passing
from mmcodemod.project.sequences import Letter
from mmcodemod.project.setting import Setting, outcomes, truth
from mmcodemod.project.settings import Settings

_OPEN = frozenset((True, False))


def kept_off(project: Project, context: Context, letter: Letter) -> Note | None:
    """The part of a test, in one of the functions that a way leads through, which does not come out as the
    way wants, whatever else the test asks; None where every one may."""
    for way, function, node in _steps(project, letter):
        for asked, outcome in flow_of(project, function).tests(node):
            for part in parts_of(asked.test, outcome):
                if _Way(project, context, way).truths(part, function) == {not outcome}:
                    at = project.place(function.partition("::")[0], part)
                    told = "does not hold" if outcome else "holds"
                    return Note(at, f"with what the calls pass, `{unparse(part)}` {told}")
    return None


def _steps(project: Project, letter: Letter) -> Iterator[tuple[Sequence[Edge], str, ast.AST]]:
    """The calls up to a function of the way, the function, and the next call there."""
    edges = list(letter.via)
    if any(edge.site is None for edge in edges):
        return
    for depth in range(1, len(edges)):
        yield edges[:depth], edges[depth].caller.function, edges[depth].call
    last = edges[-1].callee.function if edges else ""
    own = _own_call(project, letter, last) if last else None
    if own is not None:
        yield edges, last, own


def _own_call(project: Project, letter: Letter, function: str) -> ast.Call | None:
    path = function.partition("::")[0]
    if letter.at is None or letter.at.path != path:
        return None
    return next(
        (c for c in project.resolver.body(function).calls if project.place(path, c) == letter.at), None
    )


class _Way:
    """Tests and names behind a row of calls."""

    def __init__(self, project: Project, context: Context, calls: Sequence[Edge]) -> None:
        self._project = project
        self._context = context
        self._calls = calls
        self._settings = Settings(project, context)

    def truths(self, test: ast.expr, function: str) -> frozenset[bool]:
        """What a test may come to; open where it asks for no parameter."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return frozenset(not found for found in self.truths(test.operand, function))
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            return self._compared(test, function)
        found = self._passed(test, function)
        return _OPEN if found is None else frozenset(t for s in found for t in truth(s.value))

    def _compared(self, test: ast.Compare, function: str) -> frozenset[bool]:
        left, right = test.left, test.comparators[0]
        found = self._passed(left, function), self._passed(right, function)
        if found == (None, None):
            return _OPEN
        lefts, rights = (
            self._settings.of(e, function) if given is None else given
            for e, given in zip((left, right), found)
        )
        return frozenset(t for a in lefts for b in rights for t in outcomes(test.ops[0], a.value, b.value))

    def _passed(self, expr: ast.expr, function: str) -> frozenset[Setting] | None:
        """What the last call passes for a parameter; None for what is none, or gets another value."""
        facts = self._project.index.function(function)
        name = expr.id if isinstance(expr, ast.Name) else ""
        if not self._calls or name not in facts.parameters.names or name in facts.body.names:
            return None
        given = passing(self._calls[-1], facts, name)
        if given.expr is None:
            return frozenset((Setting(UNKNOWN),))
        if given.is_default:
            return self._settings.of(given.expr, function)
        before = _Way(self._project, self._context, self._calls[:-1])
        found = before._passed(given.expr, given.caller)
        return self._settings.of(given.expr, given.caller) if found is None else found
