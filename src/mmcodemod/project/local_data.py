"""What a training loop knows of its own rank alone: its batches, and the loss that it takes the gradients of.
May-analysis: the taint of the project with two more sources, and with helpers that reduce as sanitisers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.flows import Assign
from mmcodemod.facts.reads import dotted_name
from mmcodemod.facts.syntax import walk
from mmcodemod.knowledge.collectives import SAME_RESULT
from mmcodemod.model.pattern import regex
from mmcodemod.project import spread
from mmcodemod.project.alphabet import Alphabet
from mmcodemod.project.arguments import spreads
from mmcodemod.project.bare import called
from mmcodemod.project.bits import Bits, union
from mmcodemod.project.closure import closure
from mmcodemod.project.counted import counted
from mmcodemod.project.divergence import SUMMARIES
from mmcodemod.project.flow import flow_of, holds
from mmcodemod.project.gradients import BACKWARDS, Grad, GradCall, Gradients
from mmcodemod.project.infer import Frame
from mmcodemod.project.kept import Kept
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins, Tracing
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.taint import Item, Taint
from mmcodemod.project.wrapping import wrapped

PASSES = (*BACKWARDS, Grad.ENGINE)
DATA = Bits.VALUE | Bits.PRESENCE
_THROUGH = frozenset(("enumerate", "tqdm", "zip", "iter", "islice", "reversed", "track", "cycle"))
_COUNTS = frozenset(("range", "trange", "count", "arange"))
_SHARES = ("DistributedSampler", "prepare", "initialize")
_FILES = frozenset(("torch.load", "json.load", "yaml.safe_load"))  # what is kept is the same for all ranks
NO_FRAMEWORK = ("<builtin>.object", "object", "abc.ABC")
_REDUCES = regex(r"reduce|gather|broadcast", re.IGNORECASE)


class LocalData(Taint):
    """Bits of tests, where batches and losses differ between ranks. Use through `project.get(LocalData)`."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._carriers = project.get(SUMMARIES[Alphabet.PLAIN]).carriers
        self._drawn: dict[str, dict[str, Bits]] = {}
        self._batches: dict[str, dict[str, Bits]] = {}

    def drawn(self, function: str) -> dict[str, Bits]:
        """What a function draws from its data: the names that hold a batch or the loss, and the names of
        loops that only count (no bits)."""
        if function not in self._drawn:
            self._drawn[function] = dict(_drawn(self._project, function))
        return self._drawn[function]

    def batches(self, function: str) -> dict[str, Bits]:
        """The same without the loss."""
        if function not in self._batches:
            self._batches[function] = dict(_batches(self._project, function))
        return self._batches[function]

    def _assigned(self, assign: Assign, frame: Frame) -> Bits:
        found = self.drawn(frame.function).get(assign.target)
        return super()._assigned(assign, frame) if found is None else found

    def _whole(self, name: str, frame: Frame) -> Bits:
        if any(a.target in self.drawn(at.function) for a, at in self.sources(name, frame)):
            return Bits.PRESENCE
        return super()._whole(name, frame)

    def _parameter(self, name: str, frame: Frame) -> Bits:
        """A step that the tree itself calls in its loops is given what these calls show, and no more."""
        facts = self._project.index.function(frame.function)
        if not facts.name.endswith("_step") or name == facts.parameters.first or not self._own(frame):
            return super()._parameter(name, frame)
        given = self._project.get(LocalData)  # with the batches, also where these are no outcome
        return union(given.reads(reads, at) for reads, at in self.arguments(name, called(frame)))

    def _own(self, frame: Frame) -> bool:
        """Is it a method of a class without a framework, whose calls all show, in functions of the tree that
        train?"""
        training = self._project.get(training_functions)
        edges = self._project.callers(frame.function)
        outside = self._project.resolver.classes.external_bases(frame.receiver) if frame.receiver else ["?"]
        if any(base not in NO_FRAMEWORK for base in outside):
            return False
        shown = (e.skip is not None and e.caller.function in training and not spreads(e.call) for e in edges)
        return bool(edges) and not any(is_stub(e.caller.function) for e in edges) and all(shown)

    def collected(self, name: str, frame: Frame) -> Bits:
        """Why what a name has collected may differ: it is not looked at here."""
        return Bits.NONE

    def gathers(self, ordinal: int, frame: Frame) -> bool:
        """Does a call exchange something with the other ranks, or does its name say so?"""
        calls = self._sites.of(called(frame))
        passed = self._sites.flows(frame.function).calls[ordinal]
        if self.letter(ordinal, passed, calls.names) in SAME_RESULT:
            return True
        reduces = any(edge.callee in self._carriers for edge in calls.edges.get(ordinal, ()))
        return reduces or bool(_REDUCES.search(passed.name.rpartition(".")[2]))

    def _call(self, ordinal: int, frame: Frame, item: Item = None) -> Bits:
        names = self._sites.of(called(frame)).named(ordinal)
        same = self.gathers(ordinal, frame) or names & _FILES
        return Bits.NONE if same else super()._call(ordinal, frame, item)


def passes(project: Project, function: str) -> list[GradCall]:
    """The backward passes in a function's own code."""
    return [g for g in project.get(Gradients).own(function) if g.kind in PASSES]


def loss_of(found: GradCall) -> ast.expr | None:
    """`loss` of `loss.backward()`, `accelerator.backward(loss)`, `scaler.scale(loss).backward()`."""
    if found.kind is Grad.BACKWARD and not found.accelerated and isinstance(found.call.func, ast.Attribute):
        return found.receiver if not found.call.args else found.call.args[0]
    if found.kind is Grad.SCALED_BACKWARD and isinstance(found.receiver, ast.Call):
        return found.receiver.args[0] if found.receiver.args else None
    return found.call.args[0] if found.call.args else None


def training_functions(project: Project) -> dict[str, None]:
    """The functions that run a backward pass, themselves or through others. Use through
    `project.get(training_functions)`."""
    own = {facts.id: None for facts in project.mentioning("backward") if passes(project, facts.id)}
    return closure(own, lambda function: (e.caller.function for e in project.callers(function) if e.site))


def through(given: ast.expr) -> ast.expr:
    """What a loop goes over, without the progress bar and the count around it."""
    return _inside(given, ())


def trains_in(project: Project, function: str, around: ast.AST) -> bool:
    """Does a statement of a function run a backward pass?"""
    if any(holds(around, found.call) for found in passes(project, function)):
        return True
    training = project.get(training_functions)
    edges = (e for frame in project.frames(function) for e in project.graph.edges.get(frame, ()))
    return any(e.site is not None and e.callee.function in training and holds(around, e.call) for e in edges)


def data_loops(project: Project, function: str) -> list[ast.For]:
    """The innermost loops over data around what trains."""
    if function not in project.get(training_functions):
        return []
    flow = flow_of(project, function)
    loops = [s for s in flow.statements if isinstance(s, ast.For) and trains_in(project, function, s)]
    loops = [loop for loop in loops if not _counts(project, loop.iter, function)]
    return [loop for loop in loops if not any(loop in flow.ancestors(inner) for inner in loops)]


def _drawn(project: Project, function: str) -> Iterator[tuple[str, Bits]]:
    yield from _batches(project, function)
    yield from outcomes(project, function)


def outcomes(project: Project, function: str) -> Iterator[tuple[str, Bits]]:
    """The losses, and what is drawn to be evaluated."""
    yield from project.once(_shares, function)
    for found in passes(project, function):
        loss = loss_of(found)
        if loss is not None and dotted_name(loss):
            yield dotted_name(loss), Bits.VALUE


def _batches(project: Project, function: str) -> Iterator[tuple[str, Bits]]:
    """The batches that are trained on."""
    if function not in project.get(training_functions):
        return
    for loop in data_loops(project, function):
        yield from _targets(project, function, loop.target, loop.iter)
    for node in own_nodes(project.index.function(function).node):
        if isinstance(node, ast.Assign) and _draws(node.value):
            for target in node.targets:
                yield from _all_of(target, Bits.VALUE)


def _shares(project: Project, function: str) -> list[tuple[str, Bits]]:
    """The names of loops that train nothing, over what each rank has its own share of."""
    found: list[tuple[str, Bits]] = []
    for node in own_nodes(project.index.function(function).node) if project.get(_may_share) else ():
        if isinstance(node, ast.For) and not trains_in(project, function, node):
            if sharded(project, _inside(node.iter, ()), function):
                found += _targets(project, function, node.target, node.iter)
    return found


def _may_share(project: Project) -> bool:
    """Does the code say a word of what shares data out?"""
    return any(True for _ in project.mentioning(*_SHARES))


def sharded(project: Project, loader: ast.expr, function: str) -> bool:
    """Is it a loader that accelerate or DeepSpeed gives, or one with a DistributedSampler?"""
    if (isinstance(loader, ast.Call) and _word(loader) != "get") or not project.get(_may_share):
        return False
    origins = project.get(Kept)
    found = origins.of(loader, function)
    if _given(project, loader, function) or all(_given(project, o.expr, o.function) for o in found):
        return True
    return any(_samples(project, origins, o.expr, o.function) for o in found if isinstance(o.expr, ast.Call))


def _given(project: Project, loader: ast.expr, function: str) -> bool:
    """Is it what accelerate or DeepSpeed gives, and nothing else?"""
    wrap = wrapped(project, loader, function)
    return wrap is not None and not wrap.mixed


def _samples(project: Project, origins: Tracing, call: ast.Call, function: str) -> bool:
    for origin in spread.given(project, origins, call, function, "sampler"):
        if isinstance(origin.expr, ast.Call):
            names = project.names(origin.expr.func, origin.function)
            return any(name.endswith(".DistributedSampler") for name in names)
    return False


def _targets(
    project: Project, function: str, target: ast.expr, given: ast.expr
) -> Iterator[tuple[str, Bits]]:
    """The names of a loop: `enumerate` counts with its first one, `zip` with what it is given to count; the
    keys of `items()` are the same on all ranks."""
    inner = _inside(_alike(project, function, given), ("enumerate", "zip"))
    if isinstance(inner, ast.Call) and isinstance(target, ast.Tuple) and _word(inner) == "enumerate":
        yield from _all_of(target.elts[0], Bits.NONE)
        if len(target.elts) > 1 and inner.args:
            yield from _targets(project, function, target.elts[1], inner.args[0])
        return
    if isinstance(inner, ast.Call) and isinstance(target, ast.Tuple) and _word(inner) == "zip":
        for element, part in zip(target.elts, inner.args):
            counting = isinstance(part, ast.Call) and _word(part) in _COUNTS
            yield from _all_of(element, Bits.NONE if counting else Bits.VALUE)
        return
    numbers = counted(project, function, inner) if isinstance(inner, ast.Call) else frozenset[int]()
    numbers |= {0} if isinstance(inner, ast.Call) and _word(inner) == "items" else set()
    for n, element in enumerate(target.elts if isinstance(target, ast.Tuple) else [target]):
        counting = isinstance(target, ast.Tuple) and n in numbers
        yield from _all_of(element, Bits.NONE if counting else Bits.VALUE)


def _alike(project: Project, function: str, given: ast.expr) -> ast.expr:
    """What a name stands for that a loop goes over, as `steps = tqdm(enumerate(loader)) if main else
    enumerate(loader)`: one of its values, where all of them count alike."""
    if not isinstance(given, ast.Name):
        return given
    sources = project.resolver.body(function).names.get(given.id, ())
    values = [value for s in sources if s.via is Via.VALUE and s.index < 0 for value in _choices(s.expr)]
    inner = [_inside(value, ("enumerate", "zip")) for value in values]
    kinds = {_word(value) if isinstance(value, ast.Call) else "" for value in inner}
    return inner[0] if len(values) >= len(sources) > 0 and kinds == {"enumerate"} else given


def _choices(expr: ast.expr) -> list[ast.expr]:
    return [*_choices(expr.body), *_choices(expr.orelse)] if isinstance(expr, ast.IfExp) else [expr]


def _all_of(target: ast.expr, bits: Bits) -> Iterator[tuple[str, Bits]]:
    for node in walk(target):
        if isinstance(node, ast.Name):
            yield node.id, bits


def _draws(value: ast.expr) -> bool:
    """`next(loader)`, but not `next(model.parameters())`"""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or value.func.id != "next":
        return False
    given = value.args[0] if value.args else None
    return isinstance(given, (ast.Name, ast.Attribute)) or (
        isinstance(given, ast.Call) and _word(given) == "iter"
    )


def _counts(project: Project, given: ast.expr, function: str) -> bool:
    """Is it a loop over numbers, or over what is written down?"""
    inner = _inside(given, ())
    return _numbers(inner) or any(_numbers(_inside(o.expr, ())) for o in Origins(project).of(inner, function))


def _numbers(expr: ast.expr) -> bool:
    """`range(n)`, also through a progress bar of the tree (`log_every(range(n))`), or a display."""
    if isinstance(expr, ast.Call):
        return _word(expr) in _COUNTS or any(
            isinstance(a, ast.Call) and _word(a) in _COUNTS for a in expr.args
        )
    return isinstance(expr, (ast.Constant, ast.List, ast.Tuple))


def _inside(given: ast.expr, stops: tuple[str, ...]) -> ast.expr:
    """What a progress bar and the like are given: also one of the tree, `logger.log_every(loader, 10)`."""
    while isinstance(given, ast.Call) and _word(given) in _THROUGH - {*stops} and given.args:
        given = given.args[0]
    return given


def _word(call: ast.Call) -> str:
    return dotted_name(call.func).rpartition(".")[2]
