"""What code does with gradients: backward passes, unscaling, clipping, optimizer steps. May-analysis of the
calls of each function and of what they reach."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from enum import Enum

from mmcodemod.facts.body import Body, own_nodes
from mmcodemod.facts.body import Via as SourceVia
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.facts.terms import Attribute, Call, Name, Term, is_name, last_name
from mmcodemod.knowledge.gradients import (
    clips_as_is,
    is_clipper,
    is_optimizer,
    is_scaler,
    sounds_like_clipping,
    unscales,
)
from mmcodemod.model.frozen import frozen
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.flow import flow_of, holds, start_of
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.values import Bound, FunctionRef, Instance, Made

Via = tuple[tuple[ast.Call, str], ...]
Steps = tuple[tuple[Edge, str], ...]  # the same before somebody asks for its syntax


class Grad(Enum):
    """What one call does."""

    BACKWARD = "backward"  # of a tensor, of an Accelerator, of a Fabric
    SCALED_BACKWARD = "scaled backward"  # scaler.scale(loss).backward()
    ENGINE = "engine backward"  # engine.backward(loss): the engine clips and steps
    UNSCALE = "unscale"
    CLIP = "clip"  # of the gradients as they are
    OTHER_CLIP = "other clip"  # unscales by itself, or its definition does not show
    STEP = "step"  # optimizer.step()
    SCALER_STEP = "scaler step"  # scaler.step(optimizer)


BACKWARDS = (Grad.BACKWARD, Grad.SCALED_BACKWARD)
STEPS = (Grad.STEP, Grad.SCALER_STEP)
CLIPS = (Grad.CLIP, Grad.OTHER_CLIP)


@frozen()
class GradCall:
    """One such call in `function`. `via` are the calls that lead to it, outermost first: (call, function)."""

    kind: Grad
    site: Call
    function: str
    names: frozenset[str] = frozenset()
    via: Via = ()

    @property
    def call(self) -> ast.Call:
        """The call as a node of the syntax tree: reads the file again."""
        return node_of(self.site)

    @property
    def path(self) -> str:
        return self.function.partition("::")[0]

    @property
    def top(self) -> ast.Call:
        """The call through which the asked function gets here: the call itself when it is its own."""
        return self.via[0][0] if self.via else self.call

    @property
    def accelerated(self) -> bool:
        """Is it a backward pass of accelerate?"""
        return any(n.endswith("Accelerator().backward") for n in self.names)

    @property
    def receiver(self) -> ast.expr:
        """What the method is called on (the function itself for a plain call)."""
        return self.call.func.value if isinstance(self.call.func, ast.Attribute) else self.call.func

    @property
    def optimizer(self) -> ast.expr | None:
        """The optimizer of a step or of an unscale_."""
        if self.kind is Grad.STEP:
            return self.receiver
        return self.call.args[0] if self.call.args else None


class Gradients:
    """Use through `project.get(Gradients)`."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._own: dict[str, list[GradCall]] = {}

    def own(self, function: str) -> list[GradCall]:
        """Such calls in a function's own code, in source order."""
        if function not in self._own:
            self._own[function] = list(self._collect(function))
        return self._own[function]

    def inside(self, function: str, around: ast.AST | None = None) -> list[GradCall]:
        """Such calls in a function (or in one statement or call of it) and in everything that it reaches."""
        found = [g for g in self.own(function) if around is None or holds(around, g.call)]
        starts: list[tuple[str, Steps]] = [
            (edge.callee.function, ((edge, function),))
            for frame in self.project.frames(function)
            for edge in self.project.graph.edges.get(frame, ())
            if edge.site is not None and (around is None or holds(around, edge.call))
        ]
        return found + list(self._reached(function, starts))

    def _reached(self, origin: str, starts: list[tuple[str, Steps]]) -> Iterator[GradCall]:
        todo, seen = deque(starts), {origin}
        while todo:
            function, steps = todo.popleft()
            if function in seen or function.startswith(MODELS):
                continue
            seen.add(function)
            for own in self.own(function):
                via = tuple((edge.call, at) for edge, at in steps)
                yield GradCall(own.kind, own.site, function, own.names, via)
            for frame in self.project.frames(function):
                for edge in self.project.graph.edges.get(frame, ()):
                    if edge.site is not None and len(steps) < 12 and edge.callee.function not in seen:
                        todo.append((edge.callee.function, (*steps, (edge, function))))

    def conditions(self, function: str, node: ast.AST) -> dict[str, tuple[ast.expr, bool]]:
        """The tests that decide whether a node runs, by their text without negations: the test as it stands,
        and the outcome there of what that text asks (`as_it_stands` has that of the test)."""
        found = {}
        for statement, outcome in flow_of(self.project, function).tests(node):
            text, flipped = _normalised(statement.test)
            found[text] = (statement.test, outcome is not flipped)
        return found

    @staticmethod
    def as_it_stands(test: ast.expr, outcome: bool) -> bool:
        """The outcome of a test, negations and all, from that of `conditions`."""
        return outcome is not _normalised(test)[1]

    # -- classification -------------------------------------------------------------------------------

    def _collect(self, function: str) -> Iterator[GradCall]:
        body = self.project.index.function(function).body
        aliased = self.project.index.function(function).path in self.project.get(_naming_clips)
        for site in body.calls:
            word = _unscaling(body, site) or last_name(site)
            if word in _WORDS or "clip" in word.lower() or (aliased and not isinstance(site.func, Attribute)):
                names = frozenset(self.project.names(site.func, function)) | _asked_for(site)
                if word not in _WORDS and not any(map(sounds_like_clipping, (word, *names))):
                    continue
                kind = self._kind(word, site, function, names)
                if kind is not None:
                    yield GradCall(kind, site, function, names)

    def _kind(self, word: str, call: Call, function: str, names: frozenset[str]) -> Grad | None:
        own = any(self._of_tree(v) for v in self.project.values(call.func, function))
        if own and not _of_scaler(word, names):
            if word == "step":
                return Grad.STEP if self._own_step(call, function) else None
            return Grad.OTHER_CLIP if word not in _WORDS else None
        if word == "backward":
            return self._backward(call, names)
        if word == "step":
            return self._step(call, function, names)
        if word in _UNSCALES:
            return Grad.UNSCALE
        return Grad.CLIP if any(map(clips_as_is, names)) else Grad.OTHER_CLIP

    def _of_tree(self, value: object) -> bool:
        """A function of the tree: the call graph follows it. (A clipping helper keeps its name.)"""
        return isinstance(value, (Bound, FunctionRef)) and not value.function.startswith(MODELS)

    def _backward(self, call: Call, names: frozenset[str]) -> Grad | None:
        if any(is_scaler(n.removesuffix("().scale().backward")) for n in names):
            return Grad.SCALED_BACKWARD
        if any(map(unscales, names)):
            return Grad.BACKWARD
        if any(n.startswith("torch.autograd") for n in names) or not isinstance(call.func, Attribute):
            return None
        return Grad.ENGINE if call.args else Grad.BACKWARD

    def _step(self, call: Call, function: str, names: frozenset[str]) -> Grad | None:
        if any(map(is_clipper, names)):
            return Grad.OTHER_CLIP
        makers = {n.removesuffix("().step") for n in names if n.endswith("().step")}
        if any(map(is_scaler, makers)):
            return Grad.SCALER_STEP
        if not isinstance(call.func, Attribute):
            return None
        values = self.project.values(call.func.value, function)
        if any(map(is_optimizer, makers)) or any(self._is_optimizer(v) for v in values):
            return Grad.STEP
        return Grad.STEP if not names and not values and self._zeroes(call, function) else None

    def _own_step(self, call: Call, function: str) -> bool:
        """Is it the step of optimizers that the tree defines, and of nothing else?"""
        if not isinstance(call.func, Attribute) or _is_super(call.func.value):
            return False
        values = self.project.values(call.func.value, function)
        return all(self._is_optimizer(v) or (isinstance(v, Made) and is_optimizer(v.by)) for v in values)

    def _is_optimizer(self, value: object) -> bool:
        """An optimizer that the tree defines."""
        if not isinstance(value, Instance):
            return False
        bases = self.project.resolver.classes.external_bases(value.cls)
        return any(is_optimizer(base) for base in bases)

    def _zeroes(self, step: Call, function: str) -> bool:
        """Is `zero_grad` called on the same object? Then what steps is an optimizer of unknown kind."""
        zeroed = self.project.calls_of(function, ("zero_grad",))
        text = _receiver(node_of(step)) if zeroed else ""
        return any(_receiver(c) == text for c in zeroed)


def _of_scaler(word: str, names: frozenset[str]) -> bool:
    """May it be the library's scaler, for which a class of the tree stands in elsewhere?"""
    makers = (n.removesuffix(f"().{word}") for n in names if n.endswith(f"().{word}"))
    return any(map(is_scaler, makers))


def _unscaling(body: Body[Term, Call], call: Call) -> str:
    """The method in `unscale = scaler.unscale_`, where `unscale(optimizer)` is called; else ""."""
    sources = body.names.get(call.func.id, ()) if isinstance(call.func, Name) else ()
    held = [s.expr.attr for s in sources if isinstance(s.expr, Attribute) and s.via is SourceVia.VALUE]
    return next((attr for attr in held if attr in _UNSCALES and len(sources) == 1), "")


def _naming_clips(project: Project) -> frozenset[str]:
    """The files that may call a library's clip by a name of their own. Use through `project.get`."""
    return frozenset(facts.path for facts in project.mentioning("clip_grad"))


def _asked_for(site: Call) -> set[str]:
    """The text that `getattr(library, f"clip_grad_{kind}_")(...)` asks for, as far as it shows."""
    if not isinstance(site.func, Call) or not is_name(site.func.func, "getattr"):
        return set()
    asked = node_of(site.func).args[1:2]
    return {"".join(str(n.value) for a in asked for n in walk(a) if isinstance(n, ast.Constant))}


def _is_super(term: Term) -> bool:
    """`super()`: a step of the same optimizer."""
    return isinstance(term, Call) and last_name(term) == "super"


def _receiver(call: ast.Call) -> str:
    """The text of the object whose method is called."""
    return unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""


_UNSCALES = ("unscale_", "unscale_gradients")
_WORDS = ("backward", "step", *_UNSCALES)


class Hand(Enum):
    """What a function does with gradients without a library."""

    BOUNDS = "bounds"  # clamps, rescales by the norm, or hooks them
    NORM = "norm"  # works out their norm
    SCALES = "scales"  # multiplies each by something, and sums over no ranks: no mean


def gradients_by_hand(facts: FunctionFacts) -> frozenset[Hand]:
    """What a function does with gradients by hand; one may measure and another one scale."""
    called, scaled, touches, stores = set(), False, False, False
    for node in own_nodes(facts.node):
        if isinstance(node, ast.Call):
            called.add(bare_name(node.func))
            scaled = scaled or (bare_name(node.func) in ("mul_", "div_") and ".grad" in _receiver(node))
        elif isinstance(node, ast.Attribute) and node.attr == "grad":
            touches = True
            stores = stores or isinstance(node.ctx, ast.Store)
    norm = touches and bool(called & {"norm", "vector_norm"})
    hooks = called & {"register_hook", "register_post_accumulate_grad_hook", "register_full_backward_hook"}
    cuts = touches and called & {"clamp", "clamp_", "clip", "clip_", "_foreach_mul_", "nan_to_num_"}
    bounds = hooks or cuts or (norm and (stores or called & {"mul_", "div_"}))
    sums = any("reduce" in word for word in called)
    found = ((Hand.BOUNDS, bounds), (Hand.NORM, norm), (Hand.SCALES, scaled and not sums))
    return frozenset(hand for hand, does in found if does)


def before(first: ast.AST, second: ast.AST) -> bool:
    """Does a node stand before another one in the source?"""
    return start_of(first) < start_of(second)


def _normalised(test: ast.expr) -> tuple[str, bool]:
    """The text of a test with its negation taken off: `x is not None` and `x` are the same question."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        text, flipped = _normalised(test.operand)
        return text, not flipped
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        right = test.comparators[0]
        if isinstance(right, ast.Constant) and right.value is None:
            return unparse(test.left), isinstance(test.ops[0], ast.Is)
    return unparse(test), False
