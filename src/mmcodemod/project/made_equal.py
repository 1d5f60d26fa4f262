"""Do all ranks hold the same where a test asks, because that was gathered, reduced or broadcast before it?
Must-analysis of the assignments on the way to the test; a branch of runs with several ranks is taken. What is
kept over the rounds of a loop (the best score, a count) is the same where all its assignments and their tests
are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.reads import dotted_name
from mmcodemod.facts.syntax import walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.bits import Bits
from mmcodemod.project.callsites import Calls, CallSites
from mmcodemod.project.flow import flow_of
from mmcodemod.project.infer import Frame
from mmcodemod.project.local_data import LocalData
from mmcodemod.project.model import Project
from mmcodemod.project.sides import Sides
from mmcodemod.project.stubs import is_stub

MAX_DEPTH = 6
_APART = Bits.VALUE | Bits.PRESENCE | Bits.LOCAL


def made_equal(project: Project, taint: LocalData, frame: Frame, test: ast.expr) -> bool:
    """Is everything that differs between ranks, of what a test asks, made equal before it?"""
    statement = flow_of(project, frame.function).statement_of(test)
    return statement is not None and _Before(project, taint, frame).equal(test, statement, 0) is True


@frozen()
class _Before:
    project: Project
    taint: LocalData
    frame: Frame
    assumed: frozenset[str] = frozenset()  # what is kept and being asked for: equal in the round before

    def equal(self, expr: ast.AST, at: ast.stmt, depth: int) -> bool | None:
        """Is a value, made where a statement stands, gathered from all ranks? None: it never differed."""
        if isinstance(expr, ast.Call) and (self._gathers(expr) or self._of_tree(expr)):
            return self._gathers(expr)
        if isinstance(expr, ast.Attribute) and dotted_name(expr).startswith("self."):
            name = dotted_name(expr)
            return self._kept(name, depth) if self._differs(name) else None
        if isinstance(expr, ast.Name):
            return self._name(expr.id, at, depth) if self._differs(expr.id) else None
        parts = [self.equal(part, at, depth) for part in ast.iter_child_nodes(expr)]
        return False if False in parts else True if True in parts else None

    def _differs(self, name: str) -> bool:
        return bool(self.taint.atom(name, self.frame) & _APART)

    def _ordinal(self, call: ast.Call) -> int | None:
        return self._sites.ordinals.get(id(call))

    def _gathers(self, call: ast.Call) -> bool:
        ordinal = self._ordinal(call)
        return ordinal is not None and self.taint.gathers(ordinal, self.frame)

    def _of_tree(self, call: ast.Call) -> bool:
        """May the call add something of its own to what it is given?"""
        ordinal = self._ordinal(call)
        edges = self._sites.edges.get(ordinal, ()) if ordinal is not None else ()
        own = any(not is_stub(edge.callee.function) for edge in edges)
        return own and ordinal is not None and bool(self.taint.atom(ordinal, self.frame) & _APART)

    @property
    def _sites(self) -> Calls:
        return self.project.get(CallSites).of(self.frame)

    def _name(self, name: str, at: ast.stmt, depth: int) -> bool:
        before = flow_of(self.project, self.frame.function).before(at)
        last = depth < MAX_DEPTH and self._last(name, before, depth) is True
        return last or self._kept(name, depth)

    def _kept(self, name: str, depth: int) -> bool:
        """Is what a name keeps from round to round equal, because every value that it gets is?"""
        if name in self.assumed or depth >= MAX_DEPTH:
            return name in self.assumed
        facts = self.project.index.function(self.frame.function)
        other = {*facts.parameters.names, *self.taint.drawn(self.frame.function)}
        stores = list(self._stores(name))
        if not stores or name in other or len(stores) != self._given(name):
            return False
        if self.taint.collected(name, self.frame):
            return False
        inner = replace(self, assumed=self.assumed | {name})
        return self._elsewhere(name) and all(inner._stored(value, at, depth + 1) for value, at in stores)

    def _given(self, name: str) -> int:
        """How many values the function gives a name, by whatever statement."""
        return len(self.project.get(CallSites).flows(self.frame.function).assigns.get(name, ()))

    def _stores(self, name: str) -> Iterator[tuple[ast.expr, ast.stmt]]:
        """The values that plain assignments of the function give a name."""
        for statement in flow_of(self.project, self.frame.function).statements:
            if isinstance(statement, (ast.Assign, ast.AugAssign)):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                for target in targets:
                    yield from ((value, statement) for value in _parts(target, statement.value, name))

    def _stored(self, value: ast.expr, at: ast.stmt, depth: int) -> bool:
        """Is a value equal, and do all ranks come to its assignment together?"""
        tests = [test for test, _ in flow_of(self.project, self.frame.function).tests(at)]
        return self._alike(value, at, depth) and all(self._alike(t.test, t, depth) for t in tests)

    def _alike(self, expr: ast.expr, at: ast.stmt, depth: int) -> bool:
        """Is a value or a test equal on all ranks, or of nothing that differs?"""
        bits = self.taint.test(self.project.get(CallSites).form(expr, self.frame), self.frame)
        equal = self.equal(expr, at, depth)
        return not bits & Bits.RANK and (equal is True or (equal is None and not bits & _APART))

    def _elsewhere(self, name: str) -> bool:
        """Does no other function keep there what differs between ranks?"""
        sources = self.taint.sources(name, self.frame)
        return not any(
            a.target in self.taint.drawn(at.function)
            or any(self.taint.test(form, at) & (_APART | Bits.RANK) for form in (a.form, *a.tests))
            for a, at in sources
            if at.function != self.frame.function
        )

    def _last(self, name: str, before: list[ast.stmt], depth: int) -> bool | None:
        """Is the value gathered that the last of these statements gives a name? None where none gives one."""
        for statement in before:
            if isinstance(statement, ast.Assign) and any(name in _bound(t) for t in statement.targets):
                return self.equal(statement.value, statement, depth + 1) is True
            inner = self._inner(statement)
            if inner is not None:
                found = self._last(name, inner[::-1], depth)
                if found is not None:
                    return found
            elif name in _bound(statement):
                return False
        return None

    def _inner(self, statement: ast.stmt) -> list[ast.stmt] | None:
        """What runs inside a statement wherever there are several ranks; None where that is open."""
        if isinstance(statement, ast.With):
            return statement.body
        if not isinstance(statement, ast.If):
            return None
        form = self.project.get(CallSites).form(statement.test, self.frame)
        several = self.project.get(Sides).several(form, self.frame)
        return None if several is None else statement.body if several else statement.orelse


def _parts(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    """What an assignment gives a name: in `best, bad = score, 0` a part of it."""
    if isinstance(target, (ast.Tuple, ast.List)):
        same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        parts = value.elts if same else [value] * len(target.elts)  # type: ignore[attr-defined]
        for element, part in zip(target.elts, parts):
            yield from _parts(element, part, name)
    elif isinstance(target, (ast.Name, ast.Attribute)) and dotted_name(target) == name:
        yield value


def _bound(node: ast.AST) -> set[str]:
    """The names that a target or a statement binds."""
    return set(_stored(node))


def _stored(node: ast.AST) -> Iterator[str]:
    for part in walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, (ast.Store, ast.Del)):
            yield part.id
