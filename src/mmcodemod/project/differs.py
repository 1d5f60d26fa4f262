"""Do ranks differ at a divergence, in one context? What all rules on divergences ask."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded
from mmcodemod.project.answers import doubted
from mmcodemod.project.bits import Bits
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.divergence import Divergence
from mmcodemod.project.flow import flow_of
from mmcodemod.project.guards import conjuncts
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.passed_on import kept_off
from mmcodemod.project.rank_tests import call_at, node_of
from mmcodemod.project.sequences import Letter
from mmcodemod.project.settings import Settings, truths
from mmcodemod.project.several import several_ranks
from mmcodemod.project.sides import Side, Sides
from mmcodemod.project.taint import Taint


def differs(
    project: Project,
    context: Context,
    found: Divergence,
    letters: Sequence[Letter],
    several: Callable[[Project, Context], Answer] = several_ranks,
) -> Answer:
    """Fatal where several ranks run and part at the test; `letters` are the collectives that count, and
    `several` says whether there is more than one rank."""
    off = _switched_off(project, context, found) or led_past(project, context, found, letters)
    if off is not None:
        return Excluded(off)
    answer = several(project, context)
    if found.side is Side.SOME:
        likely = _is_or_is_not(project, found)  # of several ranks, such a test is never true on all
        answer = doubted(answer, "whether one of the ranks is left out", plausible=likely)
    if all(letter.maybe for letter in letters):
        return doubted(answer, f"the tests on the way to `{letters[0].name}`", plausible=False)
    return answer


def _is_or_is_not(project: Project, found: Divergence) -> bool:
    """`rank == 3`, `rank % 2 == 0`: is a part of the test a plain comparison with one number?"""
    test = getattr(node_of(project, found), "test", None)
    parts = conjuncts(test) if isinstance(test, ast.expr) else ()
    asked = [p for p in parts if isinstance(p, ast.Compare) and asks_rank(project, found.frame, p)]
    plain = [p for p in asked if isinstance(p.comparators[0], ast.Constant)]
    return any(isinstance(p.ops[0], (ast.Eq, ast.NotEq)) for p in plain)


def _switched_off(project: Project, context: Context, found: Divergence) -> Note | None:
    """A part of the test, beside the rank, that is false in this context: then no rank passes."""
    test = getattr(node_of(project, found), "test", None)
    if not isinstance(test, ast.expr) or context.entry is None:
        return None
    settings = Settings(project, context)
    for part in conjuncts(test):
        if not asks_rank(project, found.frame, part):
            if settings.truths(part, found.frame.function) == {False}:
                at = project.place(found.frame.function.partition("::")[0], part)
                return Note(at, f"`{unparse(part)}` does not hold in this run")
    return None


def led_past(project: Project, context: Context, found: Divergence, letters: Sequence[Letter]) -> Note | None:
    """A test behind the divergence that keeps the run from all the collectives."""
    notes = [
        _off(project, context, found, letter) or kept_off(project, context, letter) for letter in letters
    ]
    return notes[0] if notes and all(notes) else None


def _off(project: Project, context: Context, found: Divergence, letter: Letter) -> Note | None:
    if context.entry is None:
        return None
    function = found.frame.function
    for test, outcome in _around(project, found, letter):
        if by_names(test.test) and truths(project, context, test.test, function) == {not outcome}:
            at = project.place(function.partition("::")[0], test.test)
            told = "does not hold" if outcome else "holds"
            return Note(at, f"`{unparse(test.test)}` {told} in this run, which leads past the collective")
    return None


def open_way(project: Project, context: Context, found: Divergence, letters: Sequence[Letter]) -> str:
    """The open test behind the divergence that may keep the run from all the collectives; "" for none."""
    function = found.frame.function
    ways = [_around(project, found, letter) for letter in letters]
    ways = [[w for w in way if not _of_several(project, found.frame, *w)] for way in ways]
    left = [[t for t, o in way if truths(project, context, t.test, function) != {o}] for way in ways]
    return f"what `{unparse(left[0][0].test)}` is" if left and all(left) else ""


def _of_several(project: Project, frame: Frame, test: ast.If, outcome: bool) -> bool:
    """Does a test come out so wherever there are several ranks?"""
    form = project.get(CallSites).form(test.test, frame)
    return project.get(Sides).several(form, frame) is outcome


def by_names(test: ast.expr) -> bool:
    """Is it about names alone, which callers pass? What objects hold, other code may have put there."""
    return not any(isinstance(part, (ast.Attribute, ast.Subscript, ast.Call)) for part in walk(test))


def _around(project: Project, found: Divergence, letter: Letter) -> list[tuple[ast.If, bool]]:
    """The tests on the way to a collective, or to the call that leads there, but for those on the rank."""
    first = [edge.call for edge in letter.via[:1] if edge.caller.function == found.frame.function]
    call = next(iter(first), None) if letter.via else call_at(project, letter, found.frame)
    if call is None:
        return []
    tests = flow_of(project, found.frame.function).tests(call)
    own = node_of(project, found)
    return [(t, o) for t, o in tests if t is not own and not asks_rank(project, found.frame, t.test)]


def asks_rank(project: Project, frame: Frame, test: ast.expr) -> bool:
    """May a test come out differently on the main rank?"""
    form = project.get(CallSites).form(test, frame)
    return bool(project.get(Taint).test(form, frame) & Bits.RANK)


def ranks_apart(project: Project, function: str, value: ast.expr) -> Bits:
    """Why an expression may be another one on another rank, in any run of its function."""
    found = Bits.NONE
    for frame in project.frames(function):
        form = project.get(CallSites).form(value, frame)
        found |= project.get(Taint).test(form, frame)
    return found


def rank_test(project: Project, function: str, node: ast.AST) -> ast.expr | None:
    """The test on the rank that decides, in its function, whether a node runs; None without one."""
    for test, _ in flow_of(project, function).tests(node):
        if ranks_apart(project, function, test.test) & Bits.RANK:
            return test.test
    return None
