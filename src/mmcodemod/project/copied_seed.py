"""Whose seed `loader.sampler.seed` is: the samplers that a loader was given, or that a name holds, and what
each of them was given for its seed. May-analysis; what does not show is open."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.arguments import argument
from mmcodemod.project.bits import Bits
from mmcodemod.project.differs import ranks_apart
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.passings import default_of
from mmcodemod.project.samplers import NAMES, Sampler, sampler_of
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Instance, ordered

_SEEDLESS = ("torch.utils.data.SequentialSampler", "torch.utils.data.RandomSampler")


def copied(project: Project, sampler: Sampler, seed: ast.expr) -> Answer | None:
    """Is a seed that is another sampler's the rank's own? None where it is no sampler's."""
    others = [o for o in _samplers(project, seed, sampler.function) if o.expr is not sampler.call]
    if not others:
        return None
    seeds = [_seed(project, other) for other in others]
    if any(s is not None and ranks_apart(project, s.function, s.expr) & Bits.RANK for s in seeds):
        return Fatal()
    if None in seeds:
        return Unclear(f"which seed the sampler of `{unparse(seed)}` has", plausible=False)
    at = project.place(others[0].function.partition("::")[0], others[0].expr)
    return Excluded(Note(at, "the seed is that of this sampler, the same on all ranks"))


def _samplers(project: Project, seed: ast.expr, function: str) -> Iterator[Origin]:
    """The calls that make what has the seed; samplers without one cannot be meant."""
    if not isinstance(seed, ast.Attribute) or seed.attr != "seed":
        return
    origins, holder = Origins(project), seed.value
    if isinstance(holder, ast.Attribute) and holder.attr == "sampler":
        loaders = origins.of(holder.value, function)
        found = [s for loader in loaders for s in sampler_of(project, origins, loader)]
    else:
        found = [o for o in origins.of(holder, function) if _names(project, o) & {*NAMES}]
    yield from (o for o in found if _names(project, o).isdisjoint(_SEEDLESS))


def _names(project: Project, origin: Origin) -> set[str]:
    return {*project.names(origin.expr.func, origin.function)} if isinstance(origin.expr, ast.Call) else set()


def _seed(project: Project, origin: Origin) -> Origin | None:
    """What a sampler is given for its seed, or its default; None where that does not show."""
    call = origin.expr
    if not isinstance(call, ast.Call) or any(k.arg is None for k in call.keywords):
        return None
    if _names(project, origin) & {*NAMES}:
        given = Sampler(origin.function, call).given("seed")
        return Origin(given or ast.Constant(0), origin.function)
    return _of_class(project, call, origin.function)


def _of_class(project: Project, call: ast.Call, function: str) -> Origin | None:
    """The same for a class of the tree whose `__init__` takes a seed."""
    for value in ordered(project.values(call, function)):
        start = project.resolver.classes.find(value.cls, "__init__") if isinstance(value, Instance) else None
        if start is not None and not is_stub(start):
            facts = project.index.function(start)
            given, default = argument(call, facts, "seed"), default_of(facts, "seed")
            if given is not None:
                return Origin(given, function)
            return Origin(default, start) if isinstance(default, ast.Constant) else None
    return None
