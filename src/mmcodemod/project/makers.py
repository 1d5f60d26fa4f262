"""Which methods make the samples of a dataset: `__getitem__`, and those whose result it hands on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse
from mmcodemod.project.model import Project

SAMPLES = ("__getitem__", "__iter__")


def makers(project: Project) -> frozenset[str]:
    """Methods whose sample a dataset hands on: `__getitem__` that only tries again, or reads the index."""
    found: set[str] = set()
    todo = [f.id for f in project.mentioning(*SAMPLES) if f.name in SAMPLES and f.owner]
    while todo:
        new = [f for f in _handed_on(project, todo.pop()) if f not in found]
        found.update(new)
        todo += new
    return frozenset(found)


def _handed_on(project: Project, function: str) -> Iterator[str]:
    """The methods of the same object whose result a method returns."""
    facts = project.index.function(function)
    nodes = list(own_nodes(facts.node))
    returned = [n.value for n in nodes if isinstance(n, ast.Return) and n.value]
    names = {n.id for n in returned if isinstance(n, ast.Name)}
    stored = [n for n in nodes if isinstance(n, ast.Assign)]
    values = returned + [n.value for n in stored if names & {unparse(t) for t in n.targets}]
    calls = {unparse(v.func) for v in values if isinstance(v, ast.Call)}
    for edge in (e for frame in project.frames(function) for e in project.graph.edges.get(frame, ())):
        if edge.site is not None and unparse(edge.call.func) in calls:
            callee = edge.callee.function
            if unparse(edge.call.func).startswith(f"{facts.parameters.first}.") and "::" in callee:
                yield callee
