"""A call graph without what stands behind tests that never come out that way. The graph that calls were found
in says what callers pass; without some of them fewer pass something, so it is asked again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from mmcodemod.facts.tests import CLASSES, TESTS, Guard, Guards
from mmcodemod.project.callgraph import CallGraph, Edge, Outside, Unresolved
from mmcodemod.project.calls import Builder
from mmcodemod.project.closure import closure
from mmcodemod.project.frame import Frame
from mmcodemod.project.infer import Resolver
from mmcodemod.project.shapes import Shape, Switches
from mmcodemod.project.stubs import is_stub

MAX_ROUNDS = 3


def built(builder: Builder, roots: Iterable[Frame]) -> CallGraph:
    """What a builder finds from the roots on, pruned."""
    roots = tuple(roots)
    return pruned(builder.build(roots), builder.resolver, roots)


def pruned(graph: CallGraph, resolver: Resolver, roots: Iterable[Frame]) -> CallGraph:
    """The part of the graph that the roots reach through calls that may run."""
    roots = tuple(roots)
    for _ in range(MAX_ROUNDS):
        dead = _Dead(resolver, graph)
        left = _without(graph, dead, roots)
        if not dead.found:
            return graph
        graph = left
    return graph


Placed = TypeVar("Placed", Edge, Outside)


class _Dead:
    """Which calls never run, by frame. `found`: was there one?"""

    def __init__(self, resolver: Resolver, graph: CallGraph) -> None:
        self._resolver = resolver
        self._switches = Switches(resolver, graph)
        self._answers: dict[tuple[Frame, Guards], bool] = {}
        self.found = False

    def left(self, frame: Frame, calls: list[Placed]) -> list[Placed]:
        """Those of some calls in a frame that may run."""
        behind = None if is_stub(frame.function) else self._resolver.body(frame.function).behind
        return [c for c in calls if not self._is(frame, behind.get(id(c.site)))] if behind else calls

    def never_runs(self, call: Unresolved) -> bool:
        """The same for one call."""
        behind = self._resolver.body(call.caller.function).behind
        return not is_stub(call.caller.function) and self._is(call.caller, behind.get(id(call.site)))

    def _is(self, frame: Frame, guards: Guards | None) -> bool:
        dead = bool(guards) and any(self._excluded(frame, same) for same in _by_name(guards or ()))
        self.found = self.found or dead
        return dead

    def _excluded(self, frame: Frame, guards: Guards) -> bool:
        """Is there nothing that the name may hold and that all tests of it allow?"""
        key = (frame, guards)
        if key not in self._answers:
            shapes = self._switches.name(guards[0][0], frame)
            self._answers[key] = bool(shapes) and not any(_allows_all(s, guards) for s in shapes or ())
        return self._answers[key]


def _by_name(guards: Guards) -> list[Guards]:
    """The tests of one name each, those of attributes left out."""
    plain = [g for g in guards if g[0] and not g[1]]
    return [tuple(g for g in plain if g[0] == name) for name in dict.fromkeys(g[0] for g in plain)]


def _allows_all(shape: Shape, guards: Guards) -> bool:
    return all(_allows(shape, guard) for guard in guards)


def _allows(shape: Shape, guard: Guard) -> bool:
    """May the test come out as it must for the code behind it?"""
    _, _, operator, constant, holds, _ = guard
    if operator == "isa":
        return _is_a(shape, constant, holds)
    if operator == "member" or (operator == "contains" and shape.kind != "str"):
        return True
    if not shape.known:
        return not (operator == "==" and constant is None and holds)
    if operator == "==" and type(constant) is not type(shape.value) and constant == shape.value:
        return True  # 1 == True, and is not True
    return TESTS[operator](shape.value, constant) is holds


def _is_a(shape: Shape, classes: tuple[str, ...], holds: bool) -> bool:
    if shape.known:
        return isinstance(shape.value, tuple(CLASSES[name] for name in classes)) is holds
    return shape.kind == "object" or (shape.kind in classes) is holds


def _without(graph: CallGraph, dead: _Dead, roots: tuple[Frame, ...]) -> CallGraph:
    left = CallGraph()

    def following(frame: Frame) -> list[Frame]:
        left.edges[frame] = dead.left(frame, graph.edges.get(frame, []))
        return [e.callee for e in left.edges[frame]]

    reached = closure(roots, following)
    for frame in reached:
        outside = dead.left(frame, graph.external[frame]) if frame in graph.external else []
        if outside:
            left.external[frame] = outside
    left.unresolved = [u for u in graph.unresolved if u.caller in reached and not dead.never_runs(u)]
    left.backward = graph.backward & {frame.function for frame in reached}
    return left
