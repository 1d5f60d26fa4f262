"""Library calls that gather from every rank inside: evaluations of a Trainer, values that Lightning logs with
`sync_dist=True`, metrics of torchmetrics. Must-analysis: what may gather nothing is left out."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse
from mmcodemod.facts.terms import Call, last_name
from mmcodemod.knowledge.waiting_calls import (
    COMPUTES,
    EVALUATIONS,
    GROUP_MAKERS,
    IN_GROUP,
    LOGS,
    LOOPS,
    METRICS,
    OF_GROUP,
    ON_MAIN_ALONE,
    SYNCED,
    UNSYNCED,
)
from mmcodemod.project.callsites import Calls
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

_LOGS = frozenset(name.rpartition(".")[2] for name in LOGS)
_EVALUATIONS = frozenset(name.rpartition(".")[2] for name in EVALUATIONS)


def may_wait(call: Call) -> bool:
    """A look at the facts: may a call be one of these, by its name and keywords?"""
    name = last_name(call)
    if name in _LOGS:
        return any(k.arg == SYNCED for k in call.keywords)
    return name in _EVALUATIONS or (name == COMPUTES and not call.args)


def waits_inside(project: Project, ordinal: int, calls: Calls, frame: Frame) -> str:
    """The method that gathers from every rank, "" where a call is none."""
    names = calls.named(ordinal)
    if names & EVALUATIONS:
        return "" if _own_loop(project, ordinal, calls) else _last(min(names & EVALUATIONS))
    if names & LOGS:
        return _last(min(names & LOGS)) if _is_synced(calls.nodes[ordinal]) else ""
    if any(n.startswith(METRICS) and n.endswith(f"().{COMPUTES}") for n in names):
        return COMPUTES if _gathers(project, calls.nodes[ordinal], frame) else ""
    return ""


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _own_loop(project: Project, ordinal: int, calls: Calls) -> bool:
    """Does the tree say itself what an evaluation of this Trainer gathers?"""
    classes = project.resolver.classes
    receivers = {edge.callee.receiver for edge in calls.edges.get(ordinal, ())}
    found = [classes.find(cls, loop) for cls in receivers if cls for loop in LOOPS]
    return any(method is not None and not is_stub(method) for method in found)


def _is_synced(call: ast.Call) -> bool:
    given = {k.arg: k.value for k in call.keywords}
    return _is_true(given.get(SYNCED)) and not {ON_MAIN_ALONE, IN_GROUP, None} & given.keys()


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


# -- metrics ---------------------------------------------------------------------------------------------


def _gathers(project: Project, call: ast.Call, frame: Frame) -> bool:
    """Does a metric gather at this call, as by default, and not give back what it has kept?"""
    return project.get(_by_default) and not _computed_elsewhere(project, call, frame)


def _by_default(project: Project) -> bool:
    """Do the tree's metrics gather by default, in a process group? Use through `project.get(_by_default)`."""
    told = any(True for _ in project.mentioning(*UNSYNCED)) or _in_groups(project)
    return not told and any(True for _ in project.mentioning(*GROUP_MAKERS))


def _in_groups(project: Project) -> bool:
    outside = (o for calls in project.graph.external.values() for o in calls)
    made = (o.site for o in outside if o.name.startswith(METRICS))
    return any(k.arg == OF_GROUP for site in made for k in site.keywords)


def _computed_elsewhere(project: Project, call: ast.Call, frame: Frame) -> bool:
    """Does the file compute the same metric at another place? Then it may be kept from there."""
    path, text = frame.function.partition("::")[0], unparse(call.func)
    functions = project.index.files[path].functions.values()
    every = [
        facts.nodes.body.calls[n]
        for facts in functions
        for n, site in enumerate(facts.body.calls)
        if last_name(site) == COMPUTES
    ]
    return sum(unparse(other.func) == text for other in every) > 1
