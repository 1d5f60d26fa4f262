"""The skeleton of one frame, walked forwards for what has happened before each step, backwards for what may
follow. `try` bodies are taken to run to their end; a loop is taken to run once or never."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from enum import Enum

from mmcodemod.facts.flows import Flows
from mmcodemod.facts.reads import Atom, Reads
from mmcodemod.facts.skeleton import Block, Branch, Imports, Leave, Loop, Run, Step, Try, With
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.place import Place
from mmcodemod.project.closure import closure


class Seen(Enum):
    """On how many of the paths to a place the event has happened."""

    NEVER = "never"
    MAYBE = "maybe"
    ALWAYS = "always"


class Lasts(Enum):
    """How long an event holds: for the rest of the run, of its function, or of its `with` block. OPEN where
    it is not known whether it happens at all."""

    RUN = "run"
    FUNCTION = "function"
    BLOCK = "block"
    OPEN = "open"


@frozen(slots=True)
class State:
    """What is known at one point; `at` are the lines that make it so."""

    seen: Seen = Seen.NEVER
    at: frozenset[Place] = frozenset()

    def then(self, later: State) -> State:
        """This, followed by what `later` does."""
        if self.seen is Seen.ALWAYS or later.seen is Seen.NEVER:
            return self
        if later.seen is Seen.ALWAYS:
            return later
        return State(Seen.MAYBE, self.at | later.at)

    def either(self, other: State) -> State:
        """One of two paths."""
        return State(self.seen if self.seen is other.seen else Seen.MAYBE, self.at | other.at)


START = State()
Point = int | tuple[int]  # the ordinal of a call, or the line of an import
Events = dict[int, tuple[Place, Lasts]]  # by the ordinal of the call


def point(step: Run | Imports) -> Point:
    """Where a step stands in its frame."""
    return step.call if isinstance(step, Run) else (step.at[0],)


def either(one: State | None, other: State | None) -> State | None:
    """One of two paths, of which None ends."""
    if one is None or other is None:
        return other if one is None else one
    return one.either(other)


@mutable()
class Before:
    """`does` tells what a call or an import does. Fills `states`, the state at each point, and `exits`, those
    at `return` and at the end."""

    events: Events
    flows: Flows
    does: Callable[[Point], State]
    states: dict[Point, State] = field(default_factory=dict)
    exits: list[State] = field(default_factory=list)

    def run(self, body: Block) -> None:
        """Walk a whole function."""
        end = self._block(body, START)
        self.exits += [end] if end is not None else []

    def _block(self, body: Block, state: State | None) -> State | None:
        """The state after a block; None when it always leaves."""
        for step in body:
            if state is None:
                return None
            state = self._step(step, state)
        return state

    def _step(self, step: Step, state: State) -> State | None:
        if isinstance(step, (Run, Imports)):
            self.states[point(step)] = state
            return state.then(self.does(point(step)))
        if isinstance(step, Branch):
            return either(self._block(step.then, state), self._block(step.orelse, state))
        if isinstance(step, Loop):
            return self._block(step.orelse, either(state, self._block(step.body, state)))
        if isinstance(step, With):
            return self._with(step, state)
        if isinstance(step, Try):
            return self._try(step, state)
        if step.kind == "return":
            self.exits.append(state)
        return None

    def _try(self, step: Try, state: State) -> State | None:
        after = self._block(step.orelse, self._block(step.body, state))
        for handler in step.handlers:
            after = either(after, self._block(handler, state))
        return self._block(step.final, after)

    def _with(self, step: With, state: State) -> State | None:
        held = self._held(step.reads)
        if held is None:
            return self._block(step.body, state)
        inside = self._block(step.body, State(Seen.ALWAYS, frozenset((held,))))
        return None if inside is None else state

    def _held(self, reads: Reads) -> Place | None:
        """The block event that a context manager is, is given, or may be through a variable."""
        found = (self.events.get(atom) for atom in closure(reads, self._made_of))
        return next((event[0] for event in found if event and event[1] is Lasts.BLOCK), None)

    def _made_of(self, atom: Atom) -> Iterator[Atom]:
        if isinstance(atom, int):
            call = self.flows.calls[atom]
            given = (*call.args, *(reads for _, reads in call.keywords))
        else:
            given = tuple(assign.reads for assign in self.flows.assigns.get(atom, ()))
        return (inner for reads in given for inner in reads)


@mutable()
class After:
    """`does` gives the events of a call. Fills `places`, the events that may follow each point, later rounds
    of loops left out."""

    does: Callable[[int], frozenset[Place]]
    places: dict[Point, frozenset[Place]] = field(default_factory=dict)
    _loops: list[frozenset[Place]] = field(default_factory=list)  # what follows each loop around a step

    def block(self, body: Block, rest: frozenset[Place]) -> frozenset[Place]:
        """What may happen from the start of a block on."""
        for step in reversed(body):
            rest = self._step(step, rest)
        return rest

    def _step(self, step: Step, rest: frozenset[Place]) -> frozenset[Place]:
        if isinstance(step, (Run, Imports)):
            self.places[point(step)] = rest
            return rest | self.does(step.call) if isinstance(step, Run) else rest
        if isinstance(step, Branch):
            return self.block(step.then, rest) | self.block(step.orelse, rest)
        if isinstance(step, Loop):
            return self._loop(step, rest)
        if isinstance(step, With):
            return self.block(step.body, rest)
        if isinstance(step, Try):
            return self._try(step, rest)
        return self._leave(step)

    def _leave(self, step: Leave) -> frozenset[Place]:
        inside = step.kind in ("break", "continue") and self._loops
        return self._loops[-1] if inside else frozenset()

    def _loop(self, step: Loop, rest: frozenset[Place]) -> frozenset[Place]:
        after = self.block(step.orelse, rest)
        self._loops.append(after)
        body = self.block(step.body, after)
        self._loops.pop()
        return body | after

    def _try(self, step: Try, rest: frozenset[Place]) -> frozenset[Place]:
        after = self.block(step.final, rest)
        body = self.block(step.body, self.block(step.orelse, after))
        return body.union(*(self.block(handler, after) for handler in step.handlers))
