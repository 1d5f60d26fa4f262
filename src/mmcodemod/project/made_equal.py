"""Do all ranks hold the same where a test asks, because that was gathered, reduced or broadcast before it?
Must-analysis of the assignments on the way to the test; a branch of runs with several ranks is taken."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.reads import dotted_name
from mmcodemod.model.frozen import frozen
from mmcodemod.project.callsites import Calls, CallSites
from mmcodemod.project.flow import flow_of
from mmcodemod.project.infer import Frame
from mmcodemod.project.local_data import LocalData
from mmcodemod.project.model import Project
from mmcodemod.project.sides import Sides
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.taint import Bits

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

    def equal(self, expr: ast.AST, at: ast.stmt, depth: int) -> bool | None:
        """Is a value, made where a statement stands, gathered from all ranks? None: it never differed."""
        if isinstance(expr, ast.Call) and (self._gathers(expr) or self._of_tree(expr)):
            return self._gathers(expr)
        if isinstance(expr, ast.Attribute) and dotted_name(expr).startswith("self."):
            return False if self._differs(dotted_name(expr)) else None
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
        return depth < MAX_DEPTH and self._last(name, before, depth) is True

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


def _bound(node: ast.AST) -> set[str]:
    """The names that a target or a statement binds."""
    return set(_stored(node))


def _stored(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, (ast.Store, ast.Del)):
            yield part.id
