"""Long work of the main rank alone, while the others already wait in their next collective. May-analysis on
the two sequences of a summary: work is a letter that only its own side has."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.skeleton import Block, With, inner_blocks
from mmcodemod.facts.terms import Call
from mmcodemod.knowledge.long_work import FIRST, LOADS
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project import timeouts
from mmcodemod.project.alphabet import Alphabet
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.divergence import SUMMARIES
from mmcodemod.project.infer import Frame
from mmcodemod.project.light import light
from mmcodemod.project.model import Project
from mmcodemod.project.rank_tests import node_at
from mmcodemod.project.sequences import (
    LIGHT,
    WORK,
    Fork,
    Item,
    Letter,
    Repeat,
    Seq,
    is_work,
    joined,
    letters,
    only_work,
)
from mmcodemod.project.sides import Side
from mmcodemod.project.summaries import Split, Summaries

MAX_PREFIXES = 32  # ways through tests that all ranks decide alike, to the next collective


@frozen()
class Wait:
    """In `frame`, at `node` (a test, a call, or a `with`), the main rank starts `work` while the others are
    in `wait`, as seen from `outer`; None where a context manager named FIRST makes them wait."""

    frame: Frame
    node: ast.AST
    work: Letter
    wait: Letter | None
    outer: Frame


def waits(project: Project) -> list[Wait]:
    """All of them, one for each place. Use through `project.get(waits)`."""
    summaries = project.get(SUMMARIES[Alphabet.WORK])
    found: dict[tuple[str, int, int], Wait] = {}
    if any(is_work(letter) for own in summaries.direct.values() for letter in own.values()):
        for frame in sorted(summaries.carriers):
            for wait in (*_tests(project, summaries, frame), *_calls(project, summaries, frame)):
                found.setdefault(_key(wait), wait)
            for wait in _first(project, summaries, frame):
                found.setdefault(_key(wait), wait)
    return [found[key] for key in sorted(found)]


def _key(wait: Wait) -> tuple[str, int, int]:
    return wait.frame.function, wait.node.lineno, wait.node.col_offset  # type: ignore[attr-defined]


# -- tests, and calls of functions that hold them ----------------------------------------------------


def _tests(project: Project, summaries: Summaries, frame: Frame) -> Iterator[Wait]:
    for split in summaries.of(frame).splits:
        found = apart(*_sides(split)) if split.side in (Side.MAIN, Side.OTHERS) else None
        node = node_at(project, frame, split.kind, split.at) if found else None
        if found and node is not None:
            yield Wait(frame, node, *found, frame)


def _sides(split: Split) -> tuple[Seq, Seq]:
    """What the main rank does, and the others, to the end of the function."""
    then, orelse = joined(split.then, split.outer), joined(split.orelse, split.outer)
    return (then, orelse) if split.side is Side.MAIN else (orelse, then)


def _calls(project: Project, summaries: Summaries, frame: Frame) -> Iterator[Wait]:
    """The collective comes after the function that holds the test has returned."""
    for uneven in summaries.of(frame).uneven:
        found = apart(uneven.main, uneven.others)
        if found:
            call = project.index.function(frame.function).body.calls[uneven.call]
            if _through(found[0], call) and not _through(found[1], call):
                guarded = _guarded(project, summaries, frame, *found)
                yield guarded or Wait(frame, node_of(call), *found, frame)


def _through(letter: Letter, call: Call) -> bool:
    return any(edge.site is call for edge in letter.via)


def _guarded(project: Project, summaries: Summaries, outer: Frame, work: Letter, wait: Letter) -> Wait | None:
    """The test inside the called functions that lets the main rank alone do the work."""
    for n, edge in enumerate(work.via, 1):
        for split in summaries.of(edge.callee).splits:
            if split.side not in (Side.MAIN, Side.OTHERS):
                continue
            main, others = _sides(split)
            if _has(main, work) and not _has(others, work):
                node = node_at(project, edge.callee, split.kind, split.at)
                if node is not None:
                    return Wait(edge.callee, node, replace(work, via=work.via[n:]), wait, outer)
    return None


def _has(seq: Seq, work: Letter) -> bool:
    return any(is_work(letter) and letter.at == work.at for letter in letters(seq))


# -- which work one side has before the next collective ----------------------------------------------


@frozen(slots=True)
class _Prefix:
    """One way to the next collective: what was decided on it, the work done on it."""

    decided: Mapping[tuple[str, int, int], bool]
    works: tuple[Letter, ...]
    wait: Letter

    def fits(self, other: _Prefix) -> bool:
        """Can both be taken at once? All ranks decide a fork alike."""
        return all(other.decided.get(key, taken) is taken for key, taken in self.decided.items())


def apart(main: Seq, others: Seq) -> tuple[Letter, Letter] | None:
    """Work of the main rank that the others do not have before the same next collective, and that one."""
    waiting = [p for p in _prefixes(others) if not p.works]
    for prefix in _prefixes(main):
        for other in waiting if prefix.works else ():
            if prefix.wait == other.wait and prefix.fits(other):
                return longest(prefix.works), other.wait
    return None


def loads(work: Letter) -> bool:
    """Is it what `from_pretrained` does to load a model? Ranks load before they train, and find the cache."""
    return any(edge.callee.function.endswith(f".{LOADS}") for edge in work.via)


def longest(works: Sequence[Letter]) -> Letter:
    """The first that is not light."""
    return next((work for work in works if work.hidden == WORK), works[0])


def _prefixes(seq: Seq) -> list[_Prefix]:
    return list(islice(_ways(seq, {}, ()), MAX_PREFIXES))


def _ways(
    seq: Seq, decided: dict[tuple[str, int, int], bool], works: tuple[Letter, ...]
) -> Iterator[_Prefix]:
    for n, item in enumerate(seq):
        rest = seq[n + 1 :]
        if isinstance(item, Letter) and is_work(item):
            works = works if loads(item) else (*works, item)
        elif isinstance(item, Letter):
            yield _Prefix(decided, works, item)
            return
        elif isinstance(item, Repeat):
            if not only_work(item.body):
                yield from _ways((*item.body, *rest), decided, works)
                return
            works = (*works, *(letter for letter in letters(item.body) if not loads(letter)))
        else:
            yield from _forks(item, rest, decided, works)
            return


def _forks(
    item: Item, rest: Seq, decided: dict[tuple[str, int, int], bool], works: tuple[Letter, ...]
) -> Iterator[_Prefix]:
    """Both arms, as far as they agree with what was decided, and where a collective still comes: else each
    test in a row without one would double the ways."""
    if isinstance(item, Fork):
        for taken, arm in ((True, item.then), (False, item.orelse)):
            way = joined(arm, rest)
            if decided.get(item.key, taken) is taken and not only_work(way):
                yield from _ways(way, {**decided, item.key: taken}, works)


# -- context managers in which the others wait --------------------------------------------------------


def _first(project: Project, summaries: Summaries, frame: Frame) -> Iterator[Wait]:
    sites = project.get(CallSites)
    passed = sites.flows(frame.function).calls
    for step in _withs(sites.skeleton(frame.function)):
        for made in (atom for atom in step.reads if isinstance(atom, int)):
            call = sites.of(frame).nodes[made]
            name = call.func.attr if isinstance(call.func, ast.Attribute) else passed[made].name
            done = letters(summaries.arm(step.body, frame)[0])
            works = [letter for letter in done if is_work(letter) and not loads(letter)]
            if name in FIRST and works:
                yield Wait(frame, call, longest(works), None, frame)


def _withs(block: Block) -> Iterator[With]:
    for step in block:
        if isinstance(step, With):
            yield step
        for inner in inner_blocks(step):
            yield from _withs(inner)


@frozen()
class Patient:
    """A collective in a function that training runs, which waits as long as `since` says."""

    function: str
    call: ast.Call
    name: str
    since: tuple[Place, str]


def patient(project: Project) -> list[Patient]:
    """Collectives with a timeout of their own, besides those that `waits` names. Use through
    `project.get(patient)`."""
    named = {wait.wait.at for wait in project.get(waits) if wait.wait}
    summaries = project.get(SUMMARIES[Alphabet.WORK])
    found: dict[Place, Patient] = {}
    for frame in sorted(summaries.direct):
        for letter in summaries.direct[frame].values():
            made = None if is_work(letter) or letter.at in named else _patient(project, frame, letter)
            if made is not None and letter.at is not None:
                found.setdefault(letter.at, made)
    return [found[at] for at in sorted(found)]


def _patient(project: Project, frame: Frame, letter: Letter) -> Patient | None:
    called = call_of(project, frame, letter) if frame.function in project.trained else None
    since = timeouts.group_timeout(project, *called) if called else None
    return Patient(called[1], called[0], letter.name, since) if called and since else None


def call_of(project: Project, frame: Frame, letter: Letter) -> tuple[ast.Call, str] | None:
    """The call that a letter seen from `frame` stands for, with its function."""
    for function in dict.fromkeys((*(e.callee.function for e in letter.via[::-1]), frame.function)):
        for call in project.resolver.body(function).calls:
            if project.place(function.partition("::")[0], call) == letter.at:
                return call, function
    return None


__all__ = ["LIGHT", "Patient", "Wait", "call_of", "light", "patient", "waits"]
