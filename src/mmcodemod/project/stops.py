"""Where one rank ends a training loop by what it alone knows: its loss, its share of the evaluation, its
number, its clock. May-analysis of `break` and `return` in loops that run a backward pass."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.project.bits import Bits
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.flow import LOOPS, Loop, flow_of
from mmcodemod.project.gradients import GradCall, Gradients
from mmcodemod.project.infer import Frame
from mmcodemod.project.left_together import left_together
from mmcodemod.project.local_data import PASSES, training_functions, trains_in
from mmcodemod.project.model import Project
from mmcodemod.project.outcomes import Outcomes
from mmcodemod.project.sides import Side, Sides
from mmcodemod.project.skipped import skipped_by
from mmcodemod.project.skips import asks_data, bits_of
from mmcodemod.project.taint import Taint
from mmcodemod.project.values import Instance, ordered

_ONE = (Side.MAIN, Side.OTHERS)
_CLOCKS = ("time", "clock", "seconds", "minutes", "hours", "elapsed")


@frozen()
class Stop:
    """In `function`, at an `if`: `leaver` ends `loop`, which runs the backward pass `passed`, because of
    `why`: VALUE for this rank's data, RANK, or LOCAL for its clock. `further`: what else there does."""

    function: str
    node: ast.If
    leaver: ast.stmt
    loop: Loop
    passed: GradCall
    why: Bits
    further: tuple[ast.stmt, ...] = ()


def stops(project: Project) -> list[Stop]:
    """One for each `if`, in the order of files and lines. Use through `project.get(stops)`."""
    found: dict[tuple[str, int, int], Stop] = {}
    for function in sorted(project.get(training_functions)):
        for stop in _of_function(project, function):
            key = (function, stop.node.lineno, stop.node.col_offset)
            first = found.get(key)
            found[key] = replace(first, further=(*first.further, stop.leaver)) if first else stop
    return [found[key] for key in sorted(found)]


def never_left(project: Project, context: Context, stop: Stop) -> Note | None:
    """The line that keeps the run from all that ends the loop: the test of one more flag lies between."""
    kept = [skipped_by(project, context, stop.function, leaver) for leaver in (stop.leaver, *stop.further)]
    return kept[0] if all(kept) else None


def _of_function(project: Project, function: str) -> Iterator[Stop]:
    flow = flow_of(project, function)
    for leaver in flow.statements:
        if not isinstance(leaver, (ast.Break, ast.Return)):
            continue
        loops = [s for s in flow.ancestors(leaver) if isinstance(s, LOOPS)]
        ended = next((s for s in loops if trains_in(project, function, s)), None)
        if ended is None or (isinstance(leaver, ast.Break) and ended is not loops[0]):
            continue
        yield from _ending(project, function, leaver, ended)


def _ending(project: Project, function: str, leaver: ast.stmt, ended: Loop) -> Iterator[Stop]:
    """The outermost test in the loop that ranks decide apart."""
    flow = flow_of(project, function)
    around = flow.ancestors(leaver)
    tests = [s for s in around[: around.index(ended)] if isinstance(s, ast.If)]
    for statement in reversed(tests):
        why = _why(project, function, statement.test)
        if why is Bits.RANK and left_together(project, function, statement, leaver):
            continue
        passed = next((g for g in project.get(Gradients).inside(function, ended) if g.kind in PASSES), None)
        if why and passed is not None:
            yield Stop(function, statement, leaver, ended, passed, why)
            return


def _why(project: Project, function: str, test: ast.expr) -> Bits:
    """Why ranks decide a test apart; no bits where they decide it alike, or where too much flows together."""
    if asks_data(project, function, test, Outcomes):
        return Bits.VALUE
    frame = project.frames(function)[0]
    bits = bits_of(project, frame, test, Outcomes) | _kept(project, frame, test)
    if bits & Bits.VALUE and not bits & Bits.LOCAL and isinstance(test, ast.Attribute):
        return Bits.VALUE
    if _by_rank(project, frame, test):
        return Bits.RANK
    words = {n.id for n in walk(test) if isinstance(n, ast.Name)}
    words |= {n.attr for n in walk(test) if isinstance(n, ast.Attribute)}
    clock = any(part in _CLOCKS for word in words for part in word.lower().split("_"))
    return Bits.LOCAL if bits == Bits.LOCAL and clock else Bits.NONE


def _by_rank(project: Project, frame: Frame, test: ast.expr) -> bool:
    """Does a test ask for the rank, or for a flag that a guard on the rank sets, which nothing shares?"""
    sides, taint = project.get(Sides), project.get(Taint)
    if isinstance(test, ast.BoolOp):
        return any(_by_rank(project, frame, part) for part in test.values)
    if isinstance(test, ast.UnaryOp):
        return _by_rank(project, frame, test.operand)
    form = project.get(CallSites).form(test, frame)
    if sides.several(form, frame) is not None:
        return False
    if isinstance(test, ast.Name) and not taint.shared(test.id, frame):
        guards = [guard for assign, _ in taint.sources(test.id, frame) for guard in assign.tests]
        return any(sides.of(guard, frame) in _ONE for guard in guards)
    return taint.test(form, frame) == Bits.RANK and sides.of(form, frame) in _ONE


def _kept(project: Project, frame: Frame, test: ast.expr) -> Bits:
    """`stopper.stop`: what the methods of an object of the tree keep there."""
    found = Bits.NONE
    if isinstance(test, ast.Attribute):
        for value in ordered(project.values(test.value, frame.function)):
            methods = _methods(project, value.cls) if isinstance(value, Instance) else []
            for method in methods[:1]:
                found |= project.get(Outcomes).atom(f"self.{test.attr}", method)
    return found


def _methods(project: Project, cls: str) -> list[Frame]:
    return [
        Frame(f"{facts.path}::{qualname}", cls)
        for facts in project.resolver.classes.own(cls)
        for qualname in facts.methods.values()
        if not facts.path.startswith("<")
    ]
