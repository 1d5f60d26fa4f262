"""Places after which ranks no longer make the same collective calls. May-analysis: a difference that a later
test takes back, in the function or in all its callers, is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from enum import Enum

from mmcodemod.facts.skeleton import Block, Branch, Leave, Run, With
from mmcodemod.model.frozen import frozen
from mmcodemod.project.alphabet import Alphabet, Collectives
from mmcodemod.project.bits import Bits
from mmcodemod.project.failing import on_failure
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import NOTHING, Letter, Seq, joined, letters, most, split
from mmcodemod.project.sides import Side
from mmcodemod.project.summaries import Split, Summaries


class Cause(Enum):
    """What makes ranks differ."""

    ARM = "arm"  # one side of a test makes the calls
    LEAVE = "leave"  # one side leaves before them
    HANDLER = "handler"  # an exception that is caught skips them
    LOOP = "loop"  # a loop makes them, as often as this rank's data or files say
    DECORATOR = "decorator"  # the function runs on the main rank alone


@frozen(slots=True)
class Divergence:
    """In `frame`, at a test: `then` and `orelse` are the collectives of only one side, `leaver` where one
    side leaves. `side` says which ranks take `then`; `bits` why ranks may decide apart."""

    frame: Frame
    at: tuple[int, int]
    kind: str
    cause: Cause
    side: Side | None
    bits: Bits
    then: tuple[Letter, ...]
    orelse: tuple[Letter, ...]
    leaver: Leave | None = None

    @property
    def letters(self) -> tuple[Letter, ...]:
        """All collectives that only some ranks get to."""
        return (*self.then, *self.orelse)

    @property
    def certain(self) -> bool:
        """Does one of the collectives hang on no test that another function makes?"""
        return any(not letter.maybe for letter in self.letters)


def plain(project: Project) -> list[Divergence]:
    """Divergences of collectives that show in the code. Use through `project.get(plain)`."""
    return divergences(project.get(SUMMARIES[Alphabet.PLAIN]))


def saves(project: Project) -> list[Divergence]:
    """The same with saves that hide collectives."""
    return divergences(project.get(SUMMARIES[Alphabet.SAVES]))


def gathers(project: Project) -> list[Divergence]:
    """Divergences of gathers of parameters, whose summaries nobody else asks for."""
    return divergences(SUMMARIES[Alphabet.GATHERS](project))


SUMMARIES: dict[Alphabet, Callable[[Project], Summaries]] = {
    Alphabet.PLAIN: lambda project: Summaries(project, Collectives(project, Alphabet.PLAIN)),
    Alphabet.SAVES: lambda project: Summaries(project, Collectives(project, Alphabet.SAVES), on_failure),
    Alphabet.WORK: lambda project: Summaries(project, Collectives(project, Alphabet.WORK)),
    Alphabet.GATHERS: lambda project: Summaries(project, Collectives(project, Alphabet.GATHERS)),
}


def divergences(summaries: Summaries) -> list[Divergence]:
    """The divergences of one alphabet, in the order of files and lines."""
    found: dict[tuple[str, tuple[int, int]], Divergence] = {}
    for frame in sorted(summaries.carriers):
        for divergence in _of_frame(summaries, frame):
            found.setdefault((frame.function, divergence.at), divergence)
    return [found[key] for key in sorted(found)]


def _of_frame(summaries: Summaries, frame: Frame) -> Iterator[Divergence]:
    summary = summaries.of(frame)
    ranks = summary.diverges and not summaries.healed(frame)
    if ranks and summaries.on_main(frame):
        only = tuple(letters(summary.pair[0], frame.function))
        yield Divergence(frame, (0, 0), "", Cause.DECORATOR, Side.MAIN, Bits.RANK, only, ())
        return
    splits = (s for s in summary.splits if ranks or s.caught or s.side not in (Side.MAIN, Side.OTHERS))
    judged = (_judged(summaries, s) for s in splits)
    yield from _outermost(_unmatched([d for d in judged if d is not None and d.letters]))


def _outermost(found: Iterable[Divergence]) -> Iterator[Divergence]:
    """Without tests inside an arm of another that keeps the same ranks from the same calls."""
    seen: dict[tuple[Side | None, Cause], set[object]] = {}
    for divergence in found:
        calls = {(x.at, tuple((e.caller, e.line) for e in x.via)) for x in divergence.letters}
        known = seen.setdefault((divergence.side, divergence.cause), set())
        if divergence.side is None or divergence.cause is not Cause.ARM or not calls <= known:
            yield divergence
        known |= calls


def _unmatched(found: list[Divergence]) -> Iterator[Divergence]:
    """Without pairs of tests of which each makes good for the other: first the others wait, then the main
    rank."""
    taken: set[int] = set()
    for n, one in enumerate(found):
        for m, other in enumerate(found[:n]):
            if not taken & {n, m} and _makes_good(one, other):
                taken |= {n, m}
    yield from (d for n, d in enumerate(found) if n not in taken)


def _makes_good(one: Divergence, other: Divergence) -> bool:
    mine, its = _by_rank(one), _by_rank(other)
    return mine is not None and its is not None and mine == its[::-1]


def _by_rank(found: Divergence) -> tuple[list[tuple[str, str]], list[tuple[str, str]]] | None:
    """The collectives of the main rank alone, and of the others alone; None when that is not known."""
    if found.cause is not Cause.ARM or found.side not in (Side.MAIN, Side.OTHERS):
        return None
    then, orelse = (sorted((x.name, x.group) for x in side) for side in (found.then, found.orelse))
    return (then, orelse) if found.side is Side.MAIN else (orelse, then)


def _judged(summaries: Summaries, found: Split) -> Divergence | None:
    """What the split comes to: a difference inside its arms, or one side that leaves before the rest."""
    then, orelse = found.arms
    if found.kind == "Loop":
        return _divergence(found, Cause.LOOP, found.then, NOTHING, None)
    leavers = _last(summaries, found.frame, then), _last(summaries, found.frame, orelse)
    if found.kind == "Try":
        return _divergence(found, Cause.HANDLER, found.then, found.orelse, leavers[1])
    if any(leaver is not None and leaver.kind == "raise" for leaver in leavers):
        return None  # the process ends, and the launcher ends the others
    if (leavers[0] is None) != (leavers[1] is None):
        return _divergence(found, Cause.LEAVE, *_beyond(found, leavers[0]), leavers[0] or leavers[1])
    own = [summaries.arm(arm, found.frame) for arm in found.arms]
    others = found.side is Side.OTHERS
    return _divergence(found, Cause.ARM, own[0][others], own[1][not others], None)


def _beyond(found: Split, leaves: Leave | None) -> tuple[Seq, Seq]:
    """What the two sides still exchange, where one of them leaves."""
    then, orelse = found.then, found.orelse
    stays = orelse if leaves is not None else then
    if found.outer and any(getattr(item, "kind", "") == "return" for item in (then if leaves else orelse)):
        stays = joined(stays, found.outer)
    return (then, stays) if leaves is not None else (stays, orelse)


def _surplus(one: Seq, other: Seq, function: str) -> tuple[Letter, ...]:
    """The letters of one side that the other does not have as often: neither in all its lines, nor on the
    path that has most of them. Of the two sides of a test, a rank takes one."""
    mine, its = most(one), most(other)
    left = Counter((letter.name, letter.group) for letter in letters(other, function))
    found = []
    for letter in letters(one, function):
        key = (letter.name, letter.group)
        if left[key]:
            left[key] -= 1
        elif mine[key] > its[key]:
            found.append(letter)
    return tuple(found)


def _divergence(found: Split, cause: Cause, then: Seq, orelse: Seq, leaver: Leave | None) -> Divergence:
    then, orelse, _ = split(then, orelse)
    function = found.frame.function
    only = _surplus(then, orelse, function), _surplus(orelse, then, function)
    return Divergence(found.frame, found.at, found.kind, cause, found.side, found.bits, *only, leaver)


def _last(summaries: Summaries, frame: Frame, block: Block) -> Leave | None:
    """The jump with which a block always ends, or the call that ends the process."""
    if not block:
        return None
    last = block[-1]
    if isinstance(last, Branch):
        then, orelse = _last(summaries, frame, last.then), _last(summaries, frame, last.orelse)
        return then if orelse is not None else None
    if isinstance(last, With):
        return _last(summaries, frame, last.body)
    if isinstance(last, Run):
        end = summaries.exits(last.call, frame)
        return Leave(summaries.place(last.call, frame), end.kind) if end else None
    return last if isinstance(last, Leave) else None
