"""`HfDeepSpeedConfig` objects that are gone before the load that needs them: transformers keeps a weak
reference alone. May-analysis of which loads come after; what may be kept elsewhere is not lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.terms import Call
from mmcodemod.knowledge.hf_deepspeed import is_hf_config
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.closure import closure
from mmcodemod.project.hf_loads import HfLoad, hf_loads, trained_models
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.order import Order, leading
from mmcodemod.project.passes import Events, Lasts, Seen
from mmcodemod.project.reach import roots
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.zero_init import config_order, dropped_configs


@frozen()
class HfConfig:
    """`call` makes the object; `dropped` when nothing takes it; `local` is its name where it ends with its
    function. `needed` are the loads of the trained model that come after it, and do not find it."""

    function: str
    call: ast.Call
    dropped: bool
    local: str
    needed: tuple[tuple[str, HfLoad], ...] = ()

    @property
    def lost(self) -> bool:
        return self.dropped or bool(self.local)


def hf_configs(project: Project) -> list[HfConfig]:
    """All that training code makes, in source order. Use through `project.get(hf_configs)`."""
    dropped = {id(call) for _, call in dropped_configs(project)}
    made: dict[Place, HfConfig] = {}
    for frame in sorted(project.graph.external):
        for outside in project.graph.external[frame]:
            if is_hf_config(outside.name) and not is_stub(frame.function):
                call, at = outside.call, project.place(frame.function.partition("::")[0], outside.site)
                local = _local(project, frame.function, call)
                inside = _below(project, frame) if local else set()
                needed = tuple(found for found in _needing(project, at) if found[0] not in inside)
                made[at] = HfConfig(frame.function, call, id(call) in dropped, local, needed)
    return [made[at] for at in sorted(made)]


def _below(project: Project, frame: Frame) -> set[str]:
    """The functions that run while a function does: what its locals hold is there still."""
    edges = project.graph.edges
    return {f.function for f in closure([frame], lambda f: (e.callee for e in edges.get(f, ()) if e.site))}


def lost_before(project: Project, function: str, call: ast.Call) -> bool:
    """Is this a load that a lost object was made for?"""
    return any(c.lost and any(load.call is call for _, load in c.needed) for c in project.get(hf_configs))


def _local(project: Project, function: str, call: ast.Call) -> str:
    """The one local name of an object of which only attributes are asked; "" when it may be kept."""
    facts = project.index.function(function)
    body = project.resolver.body(function)
    names = [n for n, sources in body.names.items() if any(s.expr is call for s in sources)]
    if facts.qualname.startswith("<") or len(names) != 1 or names[0] in body.globals:
        return ""
    nodes = list(own_nodes(facts.node))
    asked = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    loads = [n for n in nodes if isinstance(n, ast.Name) and n.id == names[0] and isinstance(n.ctx, ast.Load)]
    nested = any(isinstance(n, (ast.FunctionDef, ast.Lambda)) for n in nodes)
    return "" if nested or any(id(n) not in asked for n in loads) else names[0]


def _needing(project: Project, at: Place) -> Iterator[tuple[str, HfLoad]]:
    """The loads of models that train, before which the object at `at` was made, and which do not find one."""
    for facts in project.mentioning("from_pretrained", "from_config"):
        if facts.id not in project.trained:
            continue
        for load in hf_loads(project, facts.id):
            trains = bool(project.values(load.call, facts.id) & project.get(trained_models))
            if trains and not load.weightless and _made_before(project, facts.id, load.call, at):
                yield facts.id, load


def _made_before(project: Project, function: str, call: ast.Call, at: Place) -> bool:
    before = project.once(leading, function)
    for context in project.contexts:
        if context.entry is not None and not before.isdisjoint(roots(project.index, context.entry)):
            made = _order(project, context.entry).before(function, call)
            if made is not None and at in made.at and unknown_at(project, context, function, call, at):
                return True
    return False


def unknown_at(project: Project, context: Context, function: str, call: ast.Call, lost: Place) -> bool:
    """Has transformers no configuration at a load, on any path, but for the object that is made at `lost`?"""
    known = config_order(project, context).before(function, call)
    return known is not None and known.seen is not Seen.ALWAYS and known.at <= {lost}


def _order(project: Project, entry: Entry) -> Order:
    known, events = project.get(_orders)
    if entry not in known:
        makes = partial(_makes, project.get(_making))
        known[entry] = Order(project, [roots(project.index, entry)], makes, events)
    return known[entry]


def _orders(project: Project) -> tuple[dict[Entry, Order], dict[Frame, Events]]:
    return {}, {}


def _making(project: Project) -> frozenset[int]:
    """The ids of the calls that make such an object, by what the call graph says of them."""
    outside = (call for calls in project.graph.external.values() for call in calls)
    return frozenset(id(call.site) for call in outside if is_hf_config(call.name))


def _makes(making: frozenset[int], call: Call, frame: Frame) -> Lasts | None:
    return Lasts.RUN if id(call) in making and not is_stub(frame.function) else None
