"""Collective summaries, bottom-up over the call graph: what a function exchanges on the main rank and on all
others. May-analysis: calls that are not resolved are taken to exchange nothing; `try` bodies run to their
end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import field, replace
from typing import Protocol, TypeVar

from mmcodemod.facts.reads import Form, Reads
from mmcodemod.facts.skeleton import At, Block, Branch, Imports, Leave, Loop, Run, Step, Try, With
from mmcodemod.knowledge.ranks import ON_MAIN
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.grade import How
from mmcodemod.project.bits import Bits
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.closure import closure
from mmcodemod.project.infer import Frame
from mmcodemod.project.isolation import isolated
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import (
    BOTH,
    BREAK,
    EXIT,
    NOTHING,
    RAISE,
    RETURN,
    End,
    Fork,
    Item,
    Letter,
    Pair,
    Repeat,
    Seq,
    either,
    joined,
    letters,
    matters,
    settled,
)
from mmcodemod.project.sides import Side, Sides
from mmcodemod.project.taint import Taint

MAX_VIA = 8  # calls between a test and a collective that are told
T = TypeVar("T")
MAX_ROUNDS = 3  # of a function that calls itself
_EXITS = frozenset(("sys.exit", "os._exit", "<builtin>.exit", "<builtin>.quit", "os.abort"))
_LEAVES = {"return": RETURN, "raise": RAISE, "break": BREAK}
Failing = Callable[[Project, Edge], bool]
_FOLLOWED = (How.CALLBACK, How.NAME_ONLY)


@frozen(slots=True)
class Split:
    """A test after which ranks exchange different things: `then` and `orelse` are what each arm leads to,
    to the end of the function, without their common end. `outer` is what follows the loops around it;
    `caught`: it stands in an `except` branch in which the ranks differ."""

    frame: Frame
    at: At
    kind: str
    side: Side | None
    bits: Bits
    then: Seq
    orelse: Seq
    outer: Seq = NOTHING
    arms: tuple[Block, Block] = ((), ())
    caught: bool = False


@frozen(slots=True)
class Uneven:
    """A call, by its ordinal, of a function in which ranks do different things: what follows from it on, to
    the end of the calling function, on the main rank and on all others."""

    call: int
    main: Seq
    others: Seq


@mutable(eq=False, slots=True)
class Summary:
    """`pair`: on the main rank, and on all others. `splits`: the tests in the function itself; `uneven`: its
    calls in which ranks differ."""

    pair: Pair = BOTH
    splits: list[Split] = field(default_factory=list)
    uneven: list[Uneven] = field(default_factory=list)

    @property
    def diverges(self) -> bool:
        """Do the main rank and the others exchange different things? An error ends the run on all of them."""
        main, others = self.pair
        return main != others and RAISE not in main and RAISE not in others


class Letters(Protocol):
    """One alphabet: which calls of a frame count, by ordinal."""

    def of(self, frame: Frame) -> dict[int, Letter]:
        """The letters of a frame."""


class Summaries:
    """Summaries by frame for one alphabet, for the frames from which a collective is reached."""

    def __init__(self, project: Project, letters: Letters, failing: Failing | None = None) -> None:
        """`failing` says which calls only a failure leads to: they make good for nothing, and `except`
        branches are looked into. None where failures are not looked at."""
        self._project = project
        self._letters = letters
        self.failing = failing
        self._sites = project.get(CallSites)
        self._taint = project.get(Taint)
        self._sides = project.get(Sides)
        self._memo: dict[Frame, Summary] = {}
        self._open: dict[Frame, Summary] = {}
        self._again: set[Frame] = set()
        self.direct = self._with_letters()
        self.carriers = self._upwards()

    # -- which frames matter ------------------------------------------------------------------------

    def _with_letters(self) -> dict[Frame, dict[int, Letter]]:
        none: dict[int, Letter] = {}
        every = (
            (frame, self._isolated(self._letters.of, frame, none)) for frame in self._project.graph.frames
        )
        return {frame: own for frame, own in every if own}

    def _isolated(self, analysis: Callable[[Frame], T], frame: Frame, nothing: T) -> T:
        """What crashes in one function leaves out that function: the rules that ask for others go on."""

        def left_out(error: Exception) -> T:
            self._project.index.leave_out(frame.function, error)
            return nothing

        return isolated(lambda: analysis(frame), left_out)

    def _upwards(self) -> dict[Frame, None]:
        callers: dict[Frame, list[Frame]] = {}
        for edges in self._project.graph.edges.values():
            for edge in edges:
                if edge.site is not None and edge.how not in _FOLLOWED:
                    callers.setdefault(edge.callee, []).append(edge.caller)
        return closure(self.direct, lambda frame: callers.get(frame, ()))

    # -- one frame ----------------------------------------------------------------------------------

    def of(self, frame: Frame) -> Summary:
        """The summary of one frame."""
        if frame not in self.carriers:
            return Summary()
        if frame in self._open:
            self._again.add(frame)
            return self._open[frame]
        if frame not in self._memo:
            self._memo[frame] = self._settle(frame)
        return self._memo[frame]

    def _settle(self, frame: Frame) -> Summary:
        """Evaluated again, a few times, where the function calls itself."""
        found = Summary()
        for _ in range(MAX_ROUNDS):
            self._open[frame] = found
            self._again.discard(frame)
            before, found = found, self._isolated(self._evaluate, frame, Summary())
            del self._open[frame]
            if frame not in self._again or found.pair == before.pair:
                break
        return found

    def _evaluate(self, frame: Frame) -> Summary:
        walk = _Walk(self, frame)
        main, others = walk.block(self._sites.skeleton(frame.function), BOTH)
        if self.on_main(frame):
            others = NOTHING
        return Summary((settled(main), settled(others)), walk.splits[::-1], walk.uneven[::-1])

    def arm(self, block: Block, frame: Frame) -> Pair:
        """What one arm of a test exchanges by itself."""
        return _Walk(self, frame).block(block, BOTH)

    def on_main(self, frame: Frame) -> bool:
        """Does a decorator let only the main rank run the function?"""
        return not ON_MAIN.isdisjoint(self._project.index.function(frame.function).decorators)

    def healed(self, frame: Frame) -> bool:
        """Does every caller make good for what differs in here?"""
        edges = self._project.entering(frame)
        callers = {e.caller for e in edges if not (self.failing and self.failing(self._project, e))}
        return bool(callers) and not any(self.of(caller).diverges for caller in callers)

    def call(self, ordinal: int, frame: Frame) -> Pair:
        """What one call exchanges."""
        letter = self.direct.get(frame, {}).get(ordinal)
        if letter is not None:
            return ((letter,), (letter,))
        calls = self._sites.of(frame)
        end = self.exits(ordinal, frame)
        if end is not None:
            return (end,), (end,)
        found: Pair | None = None
        for n, edge in enumerate(calls.edges.get(ordinal, ())):
            if edge.how in _FOLLOWED or edge.callee not in self.carriers:
                pair = BOTH
            else:
                main, others = self.of(edge.callee).pair
                pair = (
                    (_through(main, edge), _through(others, edge))
                    if main is not others
                    else _same(main, edge)
                )
            found = pair if found is None else _one_of((frame.function, ordinal, -n), found, pair)
        return found or BOTH

    def exits(self, ordinal: int, frame: Frame) -> End | None:
        """Does a call end the process: well, or with an error code?"""
        calls = self._sites.of(frame)
        if not calls.named(ordinal) & _EXITS:
            return None
        args = calls.nodes[ordinal].args
        well = all(isinstance(a, ast.Constant) and a.value in (0, None) for a in args)
        return EXIT if well else RAISE

    def place(self, ordinal: int, frame: Frame) -> At:
        """Where a call stands."""
        node = self._sites.of(frame).nodes[ordinal]
        return node.lineno, node.col_offset

    def rounds(self, test: Form | None, reads: Reads, frame: Frame) -> Bits:
        """Why ranks may go round a loop a different number of times: how much there is, not what it is."""
        bits = self._taint.test(test, frame) if test is not None else self._taint.reads(reads, frame)
        return bits if test is not None or not bits & Bits.VALUE else (bits & ~Bits.VALUE) | Bits.PRESENCE

    def several(self, form: Form, frame: Frame) -> bool | None:
        """What a test comes to where there are several ranks."""
        return self._sides.several(form, frame)

    def test(self, form: Form, frame: Frame) -> tuple[Side | None, Bits]:
        """Which ranks take a branch, and why they may differ."""
        bits = self._taint.test(form, frame)
        return (self._sides.of(form, frame) if bits & Bits.RANK else None), bits


def _one_of(key: tuple[str, int, int], one: Pair, other: Pair) -> Pair:
    """One of two targets of a call; each further target is a decision of its own, hence its own key."""
    return either(key, one[0], other[0]), either(key, one[1], other[1])


def _same(seq: Seq, edge: Edge) -> Pair:
    told = _through(seq, edge)
    return told, told


def _through(seq: Seq, edge: Edge) -> Seq:
    """The sequence with its letters told through one more call."""
    return tuple([_told(item, edge) for item in seq]) if seq else NOTHING


def _told(item: Item, edge: Edge) -> Item:
    if isinstance(item, Letter):
        via = (edge, *item.via)[:MAX_VIA]
        return Letter(item.name, item.group, item.hidden, item.at, via, item.maybe)
    if isinstance(item, Repeat):
        return Repeat(item.key, _through(item.body, edge))
    if isinstance(item, Fork):
        return Fork(item.key, _through(item.then, edge), _through(item.orelse, edge), item.size)
    return item


class _Walk:
    """Evaluates a skeleton backwards: every step is given what follows it on the main rank and on the
    others."""

    def __init__(self, summaries: Summaries, frame: Frame) -> None:
        self._summaries = summaries
        self._frame = frame
        self._outer: list[Pair] = []  # what follows each loop around the current step
        self._finals: list[tuple[Block, int]] = []  # the `finally` around it, each with its number of loops
        self.splits: list[Split] = []
        self.uneven: list[Uneven] = []

    def block(self, steps: Block, rest: Pair) -> Pair:
        for step in reversed(steps):
            rest = self._step(step, rest)
        return rest

    def _step(self, step: Step, rest: Pair) -> Pair:
        if isinstance(step, Run):
            main, others = self._summaries.call(step.call, self._frame)
            following = joined(main, rest[0]), joined(others, rest[1])
            if main != others:
                self.uneven.append(Uneven(step.call, *following))
            return following
        if isinstance(step, Branch):
            return self._branch(step, rest)
        if isinstance(step, Loop):
            return self._loop(step, rest)
        if isinstance(step, Try):
            return self._try(step, rest)
        if isinstance(step, With):
            return self.block(step.body, rest)
        return rest if isinstance(step, Imports) else self._leave(step)

    def _leave(self, step: Leave) -> Pair:
        """The end of a loop's body or of the function is nothing more to exchange; other jumps are told."""
        end = NOTHING
        if step.kind != "continue" and (step.kind != "return" or self._outer):
            end = (_LEAVES[step.kind],)
        return self._past_finals(step.kind, (end, end)) if self._finals else (end, end)

    def _past_finals(self, kind: str, end: Pair) -> Pair:
        """What the `finally` blocks exchange that a jump runs, innermost first; an error ends the run on all
        ranks. What they hold is noted where the `try` runs to its end."""
        loops = 0 if kind == "return" else len(self._outer)
        run = [n for n, (_, around) in enumerate(self._finals) if around >= loops and kind != "raise"]
        kept, noted = self._finals, (len(self.splits), len(self.uneven))
        for n in run:
            self._finals = kept[:n]
            end = self.block(kept[n][0], end)
        self._finals = kept
        del self.splits[noted[0] :], self.uneven[noted[1] :]
        return end

    def _branch(self, step: Branch, rest: Pair) -> Pair:
        then, orelse = self.block(step.then, rest), self.block(step.orelse, rest)
        if then == orelse:
            return then
        several = self._summaries.several(step.test, self._frame)
        if several is not None:
            return then if several else orelse
        side, bits = self._summaries.test(step.test, self._frame)
        key = (self._frame.function, *step.at)
        if side is Side.MAIN or side is Side.OTHERS:
            main, others = (then, orelse) if side is Side.MAIN else (orelse, then)
            self._note(
                step, side, bits, then[0 if side is Side.MAIN else 1], orelse[1 if side is Side.MAIN else 0]
            )
            return main[0], others[1]
        if bits:
            self._note(step, side, bits, then[0], orelse[0])
        return either(key, then[0], orelse[0]), either(key, then[1], orelse[1])

    def _note(self, step: Branch, side: Side | None, bits: Bits, then: Seq, orelse: Seq) -> None:
        outer: Seq = NOTHING
        for pair in reversed(self._outer):
            outer = joined(outer, pair[0])
        arms = (step.then, step.orelse)
        self.splits.append(Split(self._frame, step.at, step.kind, side, bits, then, orelse, outer, arms))

    def _loop(self, step: Loop, rest: Pair) -> Pair:
        after = self.block(step.orelse, rest)
        self._outer.append(after)
        main, others = self.block(step.body, BOTH)
        self._outer.pop()
        self._count(step, main)
        key = (self._frame.function, *step.at)
        return self._repeated(key, main, after[0]), self._repeated(key, others, after[1])

    def _count(self, step: Loop, body: Seq) -> None:
        """Note a loop that ranks may run a different number of times."""
        if letters(body):
            bits = self._summaries.rounds(step.test, step.reads, self._frame)
            if bits:
                arms = (step.body, ())
                self.splits.append(Split(self._frame, step.at, "Loop", None, bits, body, NOTHING, arms=arms))

    def _repeated(self, key: tuple[str, int, int], body: Seq, after: Seq) -> Seq:
        if not matters(body) or (not after and settled(body) == NOTHING):
            return after
        return joined((Repeat(key, body),), after)

    def _try(self, step: Try, rest: Pair) -> Pair:
        after = self.block(step.final, rest)
        body = self._tried(step, step.body, self._tried(step, step.orelse, after))
        for handler in step.handlers:
            handled = self._handler(step, handler, after)
            if handled != body and not (handled[0] and handled[0][0] is RAISE):
                arms = (step.body, handler)
                split = Split(self._frame, step.at, "Try", None, Bits.LOCAL, body[0], handled[0], arms=arms)
                self.splits.append(split)
        return body

    def _tried(self, step: Try, part: Block, after: Pair) -> Pair:
        """A part of a `try`, which no jump leaves but by its `finally`."""
        self._finals.append((step.final, len(self._outer)))
        pair = self.block(part, after)
        self._finals.pop()
        return pair

    def _handler(self, step: Try, handler: Block, after: Pair) -> Pair:
        """What an `except` branch exchanges; its tests are marked where the ranks differ in it."""
        before = len(self.splits)
        handled = self._tried(step, handler, after)
        if self._summaries.failing and handled[0] != handled[1]:
            self.splits[before:] = [replace(split, caught=True) for split in self.splits[before:]]
        return handled
