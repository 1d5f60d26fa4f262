"""Does a call run in every training step? It stands in the loop that also runs the backward pass, or in a
method that a framework calls once a step, itself or by way of helpers. May-analysis; a test on the way that
does not only ask for the hardware is given, not decided."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.flow import LOOPS, Flow, flow_of, holds
from mmcodemod.project.gradients import BACKWARDS, STEPS, Grad, GradCall, Gradients
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.updates import updates_below

MAX_LEVELS = 5
MAX_CALLERS = 40
_STEPS = ("training_step", "compute_loss")
_EVENTS = regex(r"on_(sub)?step_(begin|end)|on_train_batch_(start|end)|on_(pre_)?optimizer_step")
_HARDWARE = regex(r"available|cuda|npu|xpu|mps|mlu|musa|device", re.IGNORECASE)


@frozen()
class EachStep:
    """`node` in `function` runs in every step and is the call, or leads to it. `guard` is what lets only some
    steps come there; `why` says what repeats it."""

    function: str
    node: ast.Call
    why: Note
    guard: Note | None


@frozen()
class _Way:
    """`node` in `function` leads to the call; `place` is where a method of a module makes it, if one does."""

    function: str
    node: ast.Call
    guard: Note | None
    place: tuple[str, ast.Call] | None = None


def each_step(project: Project, function: str, call: ast.Call) -> Iterator[EachStep]:
    """Every way in which a step comes by the call, in a fixed order."""
    todo, seen = [_Way(function, call, None)], set[tuple[str, int]]()
    for _ in range(MAX_LEVELS):
        further: list[_Way] = []
        for way in todo:
            if (way.function, id(way.node)) in seen:
                continue
            seen.add((way.function, id(way.node)))
            guard = way.guard or _guard(project, way.function, way.node)
            place = way.place or _in_module(project, way)
            why, rare = _repeats(project, way.function, way.node)
            if why is not None:
                at, node = place or (way.function, way.node)
                yield EachStep(at, node, why, guard or rare)
            else:
                further += [_Way(f, c, guard, place) for f, c in _callers(project, way.function)]
        todo = further


def _in_module(project: Project, way: _Way) -> tuple[str, ast.Call] | None:
    """A model that is run is no helper: what it does is mended there."""
    facts = project.index.function(way.function)
    own = facts.owner and project.is_module(f"{facts.path}::{facts.owner}")
    return (way.function, way.node) if own else None


def _callers(project: Project, function: str) -> list[tuple[str, ast.Call]]:
    edges = [e for e in project.callers(function) if e.site is not None and e.call is not None]
    found = [(e.caller.function, e.call) for e in edges if not is_stub(e.caller.function)]
    return found if len(found) <= MAX_CALLERS else []


def _repeats(project: Project, function: str, node: ast.Call) -> tuple[Note | None, Note | None]:
    """The loop with the backward pass, or the method of the step, that holds the call; and the loop below
    where that makes updates of its own in each of its rounds."""
    facts = project.index.function(function)
    flow = flow_of(project, function)
    if facts.owner and _is_step(project, f"{facts.path}::{facts.owner}", facts.name):
        return Note(Place(facts.path, facts.line), f"`{facts.qualname}` runs once a step"), None
    loops = flow.loops(node)
    found = project.get(Gradients).inside(function, loops[-1]) if loops else []
    for loop in loops:
        here = [ends for ends in found if flow.loop_of(ends.top) is loop]
        once = {ends.kind for ends in here if _once(project, ends)}
        backward = any(ends.kind in BACKWARDS for ends in here)
        if (backward and once & {*STEPS}) or Grad.ENGINE in once:
            why = Note(Place(facts.path, loop.lineno), "this loop runs the backward pass, too")
            return why, updates_below(project, function, loop, found)
    return None, None


def _once(project: Project, ends: GradCall) -> bool:
    """Does it run once where the outermost call leads to it, in no loop on the way?"""
    ways = [*ends.via[1:], (ends.call, ends.function)] if ends.via else []
    return not any(flow_of(project, function).loop_of(call) for call, function in ways)


def _is_step(project: Project, cls: str, name: str) -> bool:
    bases = [b.rpartition("::")[2].rpartition(".")[2] for b in _bases(project, cls)]
    if name in _STEPS:
        return any(b.endswith(("Trainer", "LightningModule")) for b in bases)
    return bool(_EVENTS.fullmatch(name)) and any(b.endswith(("Callback", "LightningModule")) for b in bases)


def _bases(project: Project, cls: str) -> Iterator[str]:
    yield from project.resolver.classes.external_bases(cls)
    yield from (facts.id for facts in project.bases(cls))


def _guard(project: Project, function: str, node: ast.Call) -> Note | None:
    """A test that asks for more than the hardware, a step that is left before, or an error that is caught."""
    flow, path = flow_of(project, function), function.partition("::")[0]
    around = [a for a in flow.around(node) if isinstance(a, ast.If)]
    for test, _ in flow.tests(node):
        inside = any(test is a for a in around)
        if _counts(test.test) or (inside and not _HARDWARE.search(unparse(test.test))):
            return Note(project.place(path, test.test), f"only some steps come by `{unparse(test.test)}`")
    for handled in (a for a in flow.around(node) if isinstance(a, ast.Try)):
        if any(holds(handler, node) for handler in handled.handlers):
            return Note(Place(path, handled.lineno), "only after an error")
    return _generates(flow, node, path)


def _counts(test: ast.expr) -> bool:
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod) for n in walk(test))


def _generates(flow: Flow, node: ast.Call, path: str) -> Note | None:
    """Between generation and training, memory changes hands."""
    for loop in flow.loops(node):
        assert isinstance(loop, LOOPS)
        for inner in own_nodes(loop):
            if isinstance(inner, ast.Call) and getattr(inner.func, "attr", "").startswith("generate"):
                return Note(Place(path, inner.lineno), "the same loop generates")
    return None
