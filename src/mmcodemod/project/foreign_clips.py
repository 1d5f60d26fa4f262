"""`torch.nn.utils.clip_grad_norm_` of the parameters of a model that FullyShardedDataParallel wraps.
May-analysis.

Source: https://docs.pytorch.org/docs/stable/fsdp.html (`clip_grad_norm_`: torch's own does where every FSDP
instance uses NO_SHARD)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge.wrappers import DATA_PARALLEL, FSDP
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.project.flow import holds
from mmcodemod.project.gradients import Grad, Gradients
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.under_tests import tests_around
from mmcodemod.project.wrapping import Wrappers

OWN = "clip_grad_norm_"
_NORMS = ("clip_grad_norm_", "clip_grad_norm")
_PARAMETERS = ("parameters", "named_parameters")


@frozen()
class ForeignClip:
    """`call` in `function` clips the parameters of `model`, which `origin` has sharded; `mixed` when
    something else may wrap it as well."""

    function: str
    call: ast.Call
    model: ast.expr
    origin: Origin
    mixed: bool


def foreign_clips(project: Project) -> list[ForeignClip]:
    """All of them. Use through `project.get(foreign_clips)`."""
    if not any(True for _ in project.mentioning("FSDP", "FullyShardedDataParallel")):
        return []
    return [
        ForeignClip(facts.id, found.call, model, origin, mixed)
        for facts in project.mentioning("clip_grad_norm")
        for found in project.get(Gradients).own(facts.id)
        if found.kind is Grad.CLIP and any(n.endswith(_NORMS) for n in found.names)
        for model in _clipped(project, facts.id, found.call)
        for origin, mixed in _sharding(project, model, facts.id)[:1]
    ]


def _clipped(project: Project, function: str, call: ast.Call) -> Iterator[ast.expr]:
    """`X` of `X.parameters()` in what is clipped, through a name of the function."""
    given = next((k.value for k in call.keywords if k.arg == "parameters"), None)
    first = call.args[0] if call.args else given
    sources = [first] if first is not None else []
    if isinstance(first, ast.Name):
        sources = [s.expr for s in project.resolver.body(function).names.get(first.id, ())]
    models = [
        n.value
        for source in sources
        for n in walk(source)
        if isinstance(n, ast.Attribute) and n.attr in _PARAMETERS
    ]
    yield from models[:1] if len({unparse(m) for m in models}) == 1 else ()


def _sharding(project: Project, model: ast.expr, function: str) -> list[tuple[Origin, bool]]:
    """The calls of FSDP that a model may come from, and whether another wrapper may make it as well."""
    made = {o: _wrapper(project, o) for o in Wrappers(project).of(model, function)}
    mixed = any(by and by != FSDP for by in made.values())
    return [(origin, mixed) for origin, by in made.items() if by == FSDP]


def chosen(project: Project, origin: Origin) -> bool:
    """Does a test decide whether this wraps the model?"""
    return any(True for _ in tests_around(project, origin.function, origin.expr))


def _wrapper(project: Project, origin: Origin) -> str:
    """What a call wraps its argument in, "" for none."""
    names = project.names(origin.expr.func, origin.function) if isinstance(origin.expr, ast.Call) else ()
    return next((DATA_PARALLEL[n] for n in sorted(names) if n in DATA_PARALLEL), "")


def own_clip(project: Project, found: ForeignClip) -> Note | None:
    """The model's own clip in another arm of a test or of a `match` around this one, or tried before it."""
    gradients, text = project.get(Gradients), unparse(found.model)
    here = gradients.conditions(found.function, found.call)
    for node in own_nodes(project.index.function(found.function).node):
        if not isinstance(node, ast.Call) or unparse(node.func) != f"{text}.{OWN}":
            continue
        there = gradients.conditions(found.function, node)
        apart = any(asked in there and there[asked][1] is not wanted for asked, (_, wanted) in here.items())
        if apart or _comes_first(project, found, node):
            at = project.place(found.function.partition("::")[0], node)
            return Note(at, "a sharded model is clipped by its own method here")
    return None


def _comes_first(project: Project, found: ForeignClip, own: ast.Call) -> bool:
    """Is torch's clip left to what the own one raises, or to other cases of a `match`?"""
    for around in own_nodes(project.index.function(found.function).node):
        if isinstance(around, ast.Try):
            handled = any(holds(handler, found.call) for handler in around.handlers)
            if handled and any(holds(statement, own) for statement in around.body):
                return True
        elif isinstance(around, ast.Match):
            cases = {_case_of(around, node) for node in (found.call, own)}
            if len(cases) == 2 and -1 not in cases:
                return True
    return False


def _case_of(match: ast.Match, node: ast.AST) -> int:
    """The case in which a node stands, by its position; -1 for none."""
    found = (i for i, case in enumerate(match.cases) if any(holds(s, node) for s in case.body))
    return next(found, -1)
