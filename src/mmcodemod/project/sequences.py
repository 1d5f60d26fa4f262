"""Sequences of collectives, from a point to the end of its function. Equal sequences on all ranks cannot
hang."""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace

from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.callgraph import Edge

MAX_LETTERS = 32
WORK, LIGHT = "work", "light work"  # no collectives, but other ranks may wait for it in one
MAX_SIZE = 300  # letters in a fork with all that is nested in it; a larger one counts as unknown


@frozen(slots=True)
class Letter:
    """One collective: equal when name and group are, wherever it stands. `hidden` says when a save is one
    (knowledge/collectives.py); WORK and LIGHT are none at all. `via` are the edges that lead to it; `maybe`
    when a test in another function, or which of several functions is called, decides."""

    name: str
    group: str = ""
    hidden: str = ""
    at: Place | None = field(default=None, compare=False)
    via: tuple[Edge, ...] = field(default=(), compare=False)
    maybe: bool = field(default=False, compare=False)


@frozen(slots=True)
class Fork:
    """What follows depends on a test that all ranks decide alike (as far as is known). `key` says which:
    function, line and column; column -1 where it depends on which function is called."""

    key: tuple[str, int, int]
    then: Seq
    orelse: Seq
    size: int = field(default=0, compare=False)


@frozen(slots=True)
class Repeat:
    """The body of a loop."""

    key: tuple[str, int, int]
    body: Seq


@frozen(slots=True)
class End:
    """The path leaves: return, break, continue, exit (the process ends well, and the others go on), or raise
    (it ends in an error, which ends the others as well: nothing is left to match)."""

    kind: str


Item = Letter | Fork | Repeat | End
Seq = tuple[Item, ...]
Pair = tuple[Seq, Seq]  # on the main rank, and on all others
NOTHING: Seq = ()
BOTH: Pair = (NOTHING, NOTHING)
RETURN, RAISE, BREAK, EXIT = (End(kind) for kind in ("return", "raise", "break", "exit"))


def joined(first: Seq, rest: Seq) -> Seq:
    """`first`, then `rest`, unless `first` leaves. Long work counts once however often it is done."""
    if first and isinstance(first[-1], End):
        return first
    if first and rest and is_work(first[-1]) and first[-1] == rest[0]:
        rest = rest[1:]
    return (*first, *rest)[:MAX_LETTERS] if first else rest


def either(key: tuple[str, int, int], then: Seq, orelse: Seq) -> Seq:
    """One of two continuations; an arm that raises ends the run and leaves nothing to compare."""
    if then == orelse or ends_in_raise(orelse):
        return then
    if ends_in_raise(then):
        return orelse
    then, orelse, common = split(then, orelse)
    size = _size(then) + _size(orelse)
    if size > MAX_SIZE:
        return (Fork(key, NOTHING, NOTHING, 1), *common)
    return (Fork(key, then, orelse, size), *common)[:MAX_LETTERS]


def split(one: Seq, other: Seq) -> tuple[Seq, Seq, Seq]:
    """Both without their common end, and that end."""
    n = 0
    while n < min(len(one), len(other)) and one[-1 - n] == other[-1 - n]:
        n += 1
    return (one[: len(one) - n], other[: len(other) - n], one[len(one) - n :]) if n else (one, other, NOTHING)


def ends_in_raise(seq: Seq) -> bool:
    """Does the path end in `raise`, with nothing exchanged before?"""
    return seq[:1] == (RAISE,)


def settled(seq: Seq) -> Seq:
    """Without the `return` that ends every function anyway, or the end of the process."""
    return seq[:-1] if seq and isinstance(seq[-1], End) and seq[-1].kind in ("return", "exit") else seq


def letters(seq: Seq, function: str = "") -> list[Letter]:
    """All collectives of a sequence, in order, forks and loops included; what a fork that is not in
    `function` decides is `maybe`."""
    found: list[Letter] = []
    for item in seq:
        if isinstance(item, Letter):
            found.append(item)
        elif isinstance(item, Fork):
            sides = letters(item.then, function), letters(item.orelse, function)
            sure = all(sides) or (item.key[0] == function and item.key[2] >= 0)
            found += [x if sure or x.maybe else replace(x, maybe=True) for side in sides for x in side]
        elif isinstance(item, Repeat):
            found += letters(item.body, function)
    return found


def most(seq: Seq) -> Counter[tuple[str, str]]:
    """How often each collective, by name and group, is made on the path that makes it most; the body of a
    loop counts once."""
    found: Counter[tuple[str, str]] = Counter()
    for item in seq:
        if isinstance(item, Letter):
            found[(item.name, item.group)] += 1
        elif isinstance(item, Fork):
            found += most(item.then) | most(item.orelse)
        elif isinstance(item, Repeat):
            found += most(item.body)
    return found


def matters(seq: Seq) -> bool:
    """Is there anything in it that has to match, or that leaves the function?"""
    return any(
        isinstance(item, Letter)
        or (isinstance(item, End) and item.kind == "return")
        or (isinstance(item, Fork) and (matters(item.then) or matters(item.orelse)))
        or (isinstance(item, Repeat) and matters(item.body))
        for item in seq
    )


def only_work(seq: Seq) -> bool:
    """Are all letters of a sequence work of one rank, those inside forks and loops included?"""
    return all(map(_only_work, seq))


def _only_work(item: Item) -> bool:
    if isinstance(item, Fork):
        return only_work(item.then) and only_work(item.orelse)
    return only_work(item.body) if isinstance(item, Repeat) else not isinstance(item, Letter) or is_work(item)


def is_work(item: Item) -> bool:
    """Is it what one rank does, and no collective?"""
    return isinstance(item, Letter) and item.hidden in (WORK, LIGHT)


def _size(seq: Seq) -> int:
    return sum(item.size if isinstance(item, Fork) else 1 for item in seq)
