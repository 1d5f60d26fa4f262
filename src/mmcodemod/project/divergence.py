"""Places after which ranks no longer make the same collective calls. May-analysis: a difference that a later
test takes back, in the function or in all its callers, is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from mmcodemod.facts.skeleton import Block, Branch, Leave, With
from mmcodemod.project.alphabet import Alphabet
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import NOTHING, Letter, Seq, certain, joined, letters, split
from mmcodemod.project.sides import Side
from mmcodemod.project.summaries import Split, Summaries
from mmcodemod.project.taint import Bits


class Cause(Enum):
    """What makes ranks differ."""

    ARM = "arm"  # one side of a test makes the calls
    LEAVE = "leave"  # one side leaves before them
    HANDLER = "handler"  # an exception that is caught skips them
    LOOP = "loop"  # a loop makes them, as often as this rank's data or files say
    DECORATOR = "decorator"  # the function runs on the main rank alone


@dataclass(frozen=True, slots=True)
class Divergence:
    """In `frame`, at a test: `then` and `orelse` are the collectives of only one side, `leaver` where one
    side leaves. `side` says which ranks take `then`; `bits` why ranks may decide apart. It is not
    `certain` where each of the collectives hangs on a setting that only a called function asks for."""

    frame: Frame
    at: tuple[int, int]
    kind: str
    cause: Cause
    side: Side | None
    bits: Bits
    then: tuple[Letter, ...]
    orelse: tuple[Letter, ...]
    leaver: Leave | None = None
    certain: bool = (
        True  # False: each of the collectives hangs on a setting that only a called function asks for
    )

    @property
    def letters(self) -> tuple[Letter, ...]:
        """All collectives that only some ranks get to."""
        return (*self.then, *self.orelse)


def plain(project: Project) -> list[Divergence]:
    """Divergences of collectives that show in the code. Use through `project.get(plain)`."""
    return _divergences(project, Alphabet.PLAIN)


def saves(project: Project) -> list[Divergence]:
    """The same with saves that hide collectives."""
    return _divergences(project, Alphabet.SAVES)


def forwards(project: Project) -> list[Divergence]:
    """The same with forwards of modules, which gather under ZeRO-3 and FSDP."""
    return _divergences(project, Alphabet.FORWARDS)


SUMMARIES: dict[Alphabet, Callable[[Project], Summaries]] = {
    Alphabet.PLAIN: lambda project: Summaries(project, Alphabet.PLAIN),
    Alphabet.SAVES: lambda project: Summaries(project, Alphabet.SAVES),
    Alphabet.FORWARDS: lambda project: Summaries(project, Alphabet.FORWARDS),
    Alphabet.WORK: lambda project: Summaries(project, Alphabet.WORK),
}


def _divergences(project: Project, alphabet: Alphabet) -> list[Divergence]:
    summaries = project.get(SUMMARIES[alphabet])
    found: dict[tuple[str, tuple[int, int]], Divergence] = {}
    for frame in sorted(summaries.carriers):
        for divergence in _of_frame(summaries, frame):
            found.setdefault((frame.function, divergence.at), divergence)
    return [found[key] for key in sorted(found)]


def _of_frame(summaries: Summaries, frame: Frame) -> Iterator[Divergence]:
    summary = summaries.of(frame)
    ranks = summary.diverges and not summaries.healed(frame)
    if ranks and summaries.on_main(frame):
        only = tuple(letters(summary.pair[0]))
        yield Divergence(frame, (0, 0), "", Cause.DECORATOR, Side.MAIN, Bits.RANK, only, ())
        return
    for found in summary.splits:
        if ranks or found.side not in (Side.MAIN, Side.OTHERS):
            divergence = _judged(summaries, found)
            if divergence is not None and divergence.letters:
                yield divergence


def _judged(summaries: Summaries, found: Split) -> Divergence | None:
    """What the split comes to: a difference inside its arms, or one side that leaves before the rest."""
    then, orelse = found.arms
    if found.kind == "Loop":
        return _divergence(found, Cause.LOOP, found.then, NOTHING, None)
    if found.kind == "Try":
        return _divergence(found, Cause.HANDLER, found.then, found.orelse, _last(orelse))
    leavers = _last(then), _last(orelse)
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


def _surplus(one: list[Letter], other: list[Letter]) -> list[Letter]:
    """The letters of one side that the other does not have as often."""
    left = Counter((letter.name, letter.group) for letter in other)
    found = []
    for letter in one:
        if left[(letter.name, letter.group)]:
            left[(letter.name, letter.group)] -= 1
        else:
            found.append(letter)
    return found


def _divergence(found: Split, cause: Cause, then: Seq, orelse: Seq, leaver: Leave | None) -> Divergence:
    then, orelse, _ = split(then, orelse)
    only = _surplus(letters(then), letters(orelse)), _surplus(letters(orelse), letters(then))
    own = cause is Cause.ARM
    sure = [*certain(then, own), *certain(orelse, own)]
    known = any(letter is other for side in only for letter in side for other in sure)
    return Divergence(
        found.frame,
        found.at,
        found.kind,
        cause,
        found.side,
        found.bits,
        tuple(only[0]),
        tuple(only[1]),
        leaver,
        known,
    )


def _last(block: Block) -> Leave | None:
    """The jump with which a block always ends."""
    if not block:
        return None
    last = block[-1]
    if isinstance(last, Branch):
        then, orelse = _last(last.then), _last(last.orelse)
        return then if orelse is not None else None
    if isinstance(last, With):
        return _last(last.body)
    return last if isinstance(last, Leave) else None
