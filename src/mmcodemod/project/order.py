"""Has something surely happened before a call? The order of the skeleton's steps inside functions, call order
across them. Must-analysis on the call graph: ALWAYS means on every path that the graph knows, NEVER on none;
what an unresolved call does is not seen."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from mmcodemod.facts.terms import Call
from mmcodemod.model.grade import How
from mmcodemod.model.place import Place
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.closure import closure
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.passes import START, After, Before, Events, Lasts, Point, Seen, State

Event = Callable[[Call, Frame], "Lasts | None"]


class Order:
    """`groups`: the frames that a run starts with; those of one group run one after the other. `known` are
    the events by frame that other orders of the same event have found, and this one adds to."""

    def __init__(
        self,
        project: Project,
        groups: list[list[Frame]],
        event: Event,
        known: dict[Frame, Events] | None = None,
    ) -> None:
        self._project = project
        self._sites = project.get(CallSites)
        self._event = event
        self._known = {} if known is None else known
        self._groups = groups
        self._edges, self._entering = project.get(_edges)
        self._ways = project.get(_ways)
        starts = [frame for group in groups for frame in group]
        self._reached = closure(starts, lambda frame: (e.callee for e in self._ways.get(frame, ())))
        self._events = {frame: found for frame in self._reached if (found := self._events_in(frame))}
        self._carriers = closure(self._events, lambda frame: (e.caller for e in self._into(frame)))
        self._walks: dict[Frame, Before] = {}
        self._later: dict[Frame, After] = {}
        self._open: set[Frame] = set()
        self._entry: dict[Frame, State] = {}
        self._propagate()

    def before(self, function: str, call: ast.Call) -> State | None:
        """What has happened when `call` runs; None when no path to it is known."""
        found = [self._at(frame, self._ordinal(frame, call)) for frame in self._frames(function)]
        known = [state for state in found if state is not None]
        return reduce(State.either, known) if known else None

    def after(self, function: str, call: ast.Call) -> list[Place]:
        """Lines of events that may happen after `call`, not on another branch."""
        starts: list[tuple[Frame, Point]]
        starts = [(frame, self._ordinal(frame, call)) for frame in self._frames(function)]
        points = closure(starts, lambda at: ((e.caller, self._origin(e)) for e in self._into(at[0])))
        return sorted({place for frame, point in points for place in self._following(frame, point)})

    @property
    def places(self) -> list[Place]:
        """All events that the run may reach, without those that are open."""
        found = (event for events in self._events.values() for event in events.values())
        return sorted(place for place, lasts in found if lasts is not Lasts.OPEN)

    @property
    def open(self) -> frozenset[Place]:
        """The calls of which it is not known whether they are such an event."""
        found = (event for events in self._events.values() for event in events.values())
        return frozenset(place for place, lasts in found if lasts is Lasts.OPEN)

    # -- frames, edges, events ----------------------------------------------------------------------

    def _frames(self, function: str) -> list[Frame]:
        return [f for f in self._project.frames(function) if f in self._entry]

    def _out(self, frame: Frame) -> Sequence[Edge]:
        return self._edges.get(frame, ())

    def _into(self, frame: Frame) -> Iterator[Edge]:
        return (edge for edge in self._entering.get(frame, ()) if edge.caller in self._reached)

    def _ordinal(self, frame: Frame, call: ast.Call) -> int:
        return self._sites.of(frame).ordinals.get(id(call), -1)

    def _origin(self, edge: Edge) -> Point:
        """The point at which an edge leaves its caller."""
        ordinals = self._project.index.function(edge.caller.function).ordinals
        return (edge.line,) if edge.site is None else ordinals.get(id(edge.site), -1)

    def _events_in(self, frame: Frame) -> Events:
        if frame not in self._known:
            self._known[frame] = self._asked(frame)
        return self._known[frame]

    def _asked(self, frame: Frame) -> Events:
        path = frame.function.partition("::")[0]
        calls = enumerate(self._project.index.function(frame.function).body.calls)
        found = ((n, call, self._event(call, frame)) for n, call in calls)
        return {n: (self._project.place(path, call), lasts) for n, call, lasts in found if lasts}

    def _lasting(self, frame: Frame) -> dict[int, Place]:
        """The events of a frame that surely happen and are not over with a `with` block."""
        events = self._events.get(frame, {})
        return {n: place for n, (place, lasts) in events.items() if lasts in (Lasts.RUN, Lasts.FUNCTION)}

    # -- what has happened before -------------------------------------------------------------------

    def _effect(self, frame: Frame) -> State:
        """What running `frame` to its end does."""
        if frame not in self._carriers or frame in self._open:
            return START
        exits = self._walked(frame).exits
        state = reduce(State.either, exits) if exits else START
        local = {p for p, lasts in self._events.get(frame, {}).values() if lasts is Lasts.FUNCTION}
        lost = state.seen is Seen.ALWAYS and state.at <= local
        return State(Seen.MAYBE, state.at) if lost else state

    def _walked(self, frame: Frame) -> Before:
        """The walk over one frame with an event in it or below it."""
        if frame not in self._walks:
            self._open.add(frame)
            flows = self._sites.flows(frame.function)
            walk = Before(self._events.get(frame, {}), flows, lambda point: self._does(frame, point))
            walk.run(self._sites.skeleton(frame.function))
            self._open.discard(frame)
            self._walks[frame] = walk
        return self._walks[frame]

    def _does(self, frame: Frame, point: Point) -> State:
        """What a call or an import does."""
        if not isinstance(point, int):
            modules = (e for e in self._out(frame) if e.site is None and e.line == point[0])
            return reduce(State.then, (self._effect(e.callee) for e in modules), START)
        own = self._events.get(frame, {}).get(point)
        if own is not None and own[1] is not Lasts.BLOCK:
            return State(Seen.MAYBE if own[1] is Lasts.OPEN else Seen.ALWAYS, frozenset((own[0],)))
        effects = [self._through(edge) for edge in self._sites.of(frame).edges.get(point, ())]
        return reduce(State.either, effects) if effects else START

    def _through(self, edge: Edge) -> State:
        effect = self._effect(edge.callee)
        if edge.how is How.CALLBACK and effect.seen is Seen.ALWAYS:
            return State(Seen.MAYBE, effect.at)
        return effect

    def _at(self, frame: Frame, point: Point) -> State | None:
        """The state at a point of a frame that is entered; None when a call is never reached."""
        unseen = None if isinstance(point, int) else START
        own = self._walked(frame).states.get(point, unseen) if frame in self._carriers else START
        return None if own is None else self._entry[frame].then(own)

    def _propagate(self) -> None:
        """States at the start of every frame: joined over all calls; a module runs at its first import."""
        if not self._events:
            self._entry = dict.fromkeys(self._reached, START)
            return
        todo: deque[Frame] = deque()
        for group in self._groups:
            state = START
            for frame in group:
                self._entry[frame] = state
                state = state.then(self._effect(frame))
                todo.append(frame)
        while todo:
            todo.extend(self._entered(todo.popleft()))

    def _entered(self, frame: Frame) -> list[Frame]:
        """Take what leaves a frame; gives the callees of which the state at the start changed. Where nothing
        happens in the frame, nor below it, all of it leaves with the state that the frame begins with."""
        if frame in self._carriers:
            return [e.callee for e in self._out(frame) if self._enter(e, self._at(frame, self._origin(e)))]
        state = self._entry[frame]
        return [edge.callee for edge in self._ways.get(frame, ()) if self._enter(edge, state)]

    def _enter(self, edge: Edge, state: State | None) -> bool:
        """Take one edge, None for one that is never reached; did the state at the callee's start change?"""
        old = self._entry.get(edge.callee)
        if state is None or state is old:
            return False
        if old is not None:
            state = old if edge.site is None else old.either(state)
        self._entry[edge.callee] = state
        return state != old

    # -- what may follow ----------------------------------------------------------------------------

    def _following(self, frame: Frame, point: Point) -> frozenset[Place]:
        """Events in the same frame that may come after a point, and those of the code that runs next."""
        groups = [group for group in self._groups if frame in group]
        behind = [self._below(f) for group in groups for f in group[group.index(frame) + 1 :]]
        if frame in self._carriers:
            behind.append(self._afterwards(frame).places.get(point, frozenset()))
        return frozenset().union(*behind)

    def _afterwards(self, frame: Frame) -> After:
        if frame not in self._later:
            self._later[frame] = After(lambda call: self._happens(frame, call))
            self._later[frame].block(self._sites.skeleton(frame.function), frozenset())
        return self._later[frame]

    def _happens(self, frame: Frame, call: int) -> frozenset[Place]:
        """The events of a call: its own, and those in what it runs."""
        own = [place for n, place in self._lasting(frame).items() if n == call]
        edges = self._sites.of(frame).edges.get(call, ())
        return frozenset(own).union(*(self._below(e.callee) for e in edges if e.callee in self._carriers))

    def _below(self, frame: Frame) -> frozenset[Place]:
        """All events in a frame and below it."""
        frames = closure([frame], lambda f: (e.callee for e in self._out(f) if e.callee in self._carriers))
        return frozenset(place for f in frames for place in self._lasting(f).values())


def leading(project: Project, function: str) -> frozenset[Frame]:
    """The frames from which an order may come to a function."""
    entering = project.get(_edges)[1]
    return frozenset(closure(project.frames(function), lambda f: (e.caller for e in entering.get(f, ()))))


def _edges(project: Project) -> tuple[dict[Frame, list[Edge]], dict[Frame, list[Edge]]]:
    """The edges that leave and that enter each frame."""
    leaving = {f: [e for e in edges if not _own_module(e)] for f, edges in project.graph.edges.items()}
    entering: dict[Frame, list[Edge]] = {}
    for edges in leaving.values():
        for edge in edges:
            entering.setdefault(edge.callee, []).append(edge)
    return leaving, entering


def _ways(project: Project) -> dict[Frame, list[Edge]]:
    """One import and one call for each pair of frames that one of them leads from and to."""
    leaving = project.get(_edges)[0].items()
    return {f: list({(e.callee, e.site is None): e for e in edges}.values()) for f, edges in leaving}


def _own_module(edge: Edge) -> bool:
    """The bookkeeping edge from a function to the code of its own module, which ran long before."""
    if edge.site is not None:
        return False
    return edge.caller.function.partition("::")[0] == edge.callee.function.partition("::")[0]
