"""Weights that training reads where DeepSpeed does not watch: outside of the model's forward, or in a forward
that goes around the engine. Must-analysis of whose weights they are; what cannot be followed is left out."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Attribute, Call, Name
from mmcodemod.knowledge.wrappers import TRAINER
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.project.sharded_writes import is_model
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.wrapping import wrapped

# Parts of a model that run as one network each, and `forward` itself: the hooks of the whole do not run.
_PARTS = ("base_model", "forward", "language_model", "text_model", "vision_model", "vision_tower", "visual")
_OUTSIDE = ("model", "module", *_PARTS)
_F = "torch.nn.functional."
_COMPUTE = frozenset(
    [f"{_F}{name}" for name in ("linear", "bilinear", "embedding", "conv1d", "conv2d", "conv3d")]
    + [f"torch.{name}" for name in ("matmul", "mm", "bmm", "mv", "addmm", "einsum")]
)
_FUSED = ("liger_kernel.", "cut_cross_entropy.")  # losses that take the weight of the head
_VIEWS = ("t", "transpose", "to", "float", "half", "bfloat16", "detach", "T", "mT", "data")
_ATTENTION = "torch.nn.MultiheadAttention"
_WORDS = ("Trainer", "deepspeed", "accelerat")
MAX_STEPS = 4


@frozen()
class Read:
    """`call`, or `hidden @ weight`, computes with `weight`, a weight of the model."""

    function: str
    call: ast.Call | ast.BinOp
    weight: ast.Attribute


@frozen()
class Around:
    """`call` runs the model itself, not the engine that holds it; `part` when only a part of it."""

    function: str
    call: ast.Call
    part: bool


def external_reads(project: Project) -> list[Read | Around]:
    """Those of training code, in source order. Use through `project.get(external_reads)`."""
    watched = {facts.id for facts in project.forward_functions()}
    return [
        found
        for facts in project.mentioning(*_WORDS)
        if facts.id in project.trained and facts.id not in watched and not is_stub(facts.id)
        if not (facts.owner and project.is_module(f"{facts.path}::{facts.owner}"))
        for found in _of(project, facts)
    ]


def _of(project: Project, facts: FunctionFacts) -> Iterator[Read | Around]:
    yield from _reads(project, facts)
    yield from _around(project, facts)


def foreign_attention(project: Project) -> Place | None:
    """Where training code builds an attention that reads the weight of a module inside it without running
    that."""
    found = [
        project.place(frame.function.partition("::")[0], outside.site)
        for frame, calls in project.graph.external.items()
        for outside in calls
        if outside.name == _ATTENTION and frame.function in project.trained
    ]
    return min(found, default=None)


# -- weights that are read --------------------------------------------------------------------------------


def _reads(project: Project, facts: FunctionFacts) -> Iterator[Read]:
    held = {n for n, sources in facts.body.names.items() if any(_spelled(s.expr, ()) for s in sources)}
    for site in facts.body.calls:
        if any(_spelled(arg, held) for arg in (*site.args, *(k.value for k in site.keywords))):
            if _computes(project.names(site.func, facts.id)):
                yield from _read(project, facts.id, node_of(site))
    if "@" in project.index.text(facts.path) and ".weight" in project.index.text(facts.path):
        for node in own_nodes(facts.node):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                yield from _read(project, facts.id, node)


def _spelled(term: object, held: Collection[str]) -> bool:
    """Does an argument look like a weight, or like a view of one, or is it a name that holds such?"""
    while isinstance(term, (Attribute, Call)):
        if isinstance(term, Attribute) and term.attr == "weight":
            return True
        term = term.func if isinstance(term, Call) else term.value
    return isinstance(term, Name) and term.id in held


def _computes(names: set[str]) -> bool:
    return bool(names) and all(name in _COMPUTE or name.startswith(_FUSED) for name in names)


def _read(project: Project, function: str, call: ast.Call | ast.BinOp) -> Iterator[Read]:
    operands = [call.left, call.right] if isinstance(call, ast.BinOp) else [*call.args]
    named = [k.value for k in call.keywords] if isinstance(call, ast.Call) else []
    for arg in (*operands, *named):
        weight = _held(project, function, _viewed(arg))
        if isinstance(weight, ast.Attribute) and weight.attr == "weight":
            if _belongs(project, function, weight.value):
                yield Read(function, call, weight)
                return


def _held(project: Project, function: str, expr: ast.expr) -> ast.expr:
    """What a name holds, where one line of the function gives it one value."""
    if not isinstance(expr, ast.Name):
        return expr
    sources = project.resolver.body(function).names.get(expr.id, ())
    alone = len(sources) == 1 and sources[0].via is Via.VALUE and sources[0].index < 0
    return _viewed(sources[0].expr) if alone else expr


def _viewed(expr: ast.expr) -> ast.expr:
    """The tensor of which this is a view or a copy."""
    while True:
        if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and expr.func.attr in _VIEWS:
            expr = expr.func.value
        elif isinstance(expr, ast.Call) and bare_name(expr.func) == "normalize" and expr.args:
            expr = expr.args[0]
        elif isinstance(expr, ast.Attribute) and expr.attr in _VIEWS:
            expr = expr.value
        else:
            return expr


def _belongs(project: Project, function: str, expr: ast.expr, steps: int = 0) -> bool:
    """Does a chain of attributes and getters begin with the model that trains?"""
    if is_model(project, function, expr) or _is_kept(project, function, expr):
        return True
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and not expr.args:
        return _belongs(project, function, expr.func.value, steps)
    if isinstance(expr, ast.Attribute):
        return _belongs(project, function, expr.value, steps)
    if isinstance(expr, ast.Name) and steps < MAX_STEPS:
        found = project.resolver.body(function).names.get(expr.id, ())
        plain = all(s.via is Via.VALUE and s.index < 0 for s in found)
        return bool(found) and plain and all(_belongs(project, function, s.expr, steps + 1) for s in found)
    return False


def _is_kept(project: Project, function: str, expr: ast.expr) -> bool:
    """Is it the model that a Trainer keeps, or hands to its methods?"""
    wrap = wrapped(project, expr, function)
    return wrap is not None and not wrap.mixed


# -- forwards around the engine ---------------------------------------------------------------------------


def _around(project: Project, facts: FunctionFacts) -> Iterator[Around]:
    for site in facts.body.calls:
        if isinstance(site.func, Attribute) and site.func.attr in _OUTSIDE:
            call = node_of(site)
            part = _part(project, facts.id, call.func)
            if part is not None:
                yield Around(facts.id, call, part)


def _part(project: Project, function: str, func: ast.expr) -> bool | None:
    """Is a part of the model run that was taken out of its engine? None when the engine itself is, or
    nothing that is known."""
    part = False
    while isinstance(func, ast.Attribute) and func.attr in _PARTS:
        func, part = func.value, True
    wrap = wrapped(project, func, function)
    if wrap is None or wrap.inner is None or wrap.mixed:
        return None
    origin = wrap.origin.expr
    inside = wrap.by != TRAINER or (isinstance(origin, ast.Attribute) and origin.attr == "model")
    return part if inside else None
