"""The calls of a frame by ordinal: the edges that leave each, and the library names that it may mean."""

from __future__ import annotations

import ast
from dataclasses import field

from mmcodemod.facts.flows import Flows, flows_of, own_body
from mmcodemod.facts.other_losses import PASS, other_losses
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.reads import Form, Others, Reader
from mmcodemod.facts.skeleton import Block, skeleton_of
from mmcodemod.model.frozen import mutable
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import MODELS

_NONE: frozenset[str] = frozenset()


@mutable(eq=False, slots=True)
class Calls:
    """`edges` and `names` by ordinal. A framework model's function counts under its library name as well."""

    facts: FunctionFacts
    edges: dict[int, list[Edge]] = field(default_factory=dict)
    names: dict[int, frozenset[str]] = field(default_factory=dict)

    def named(self, ordinal: int) -> frozenset[str]:
        """The library names that a call may mean."""
        return self.names.get(ordinal, _NONE)

    @property
    def nodes(self) -> tuple[ast.Call, ...]:
        """The calls as nodes of the syntax tree: reads the file again."""
        return self.facts.nodes.body.calls

    @property
    def ordinals(self) -> dict[int, int]:
        """By the identity of a node."""
        return self.facts.nodes.ordinals


class CallSites:
    """Calls by frame, flows and skeletons by function, made when asked for. Use through
    `project.get(CallSites)`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._calls: dict[Frame, Calls] = {}
        self._flows: dict[str, Flows] = {}
        self._others: dict[str, Others] = {}
        self._skeletons: dict[str, Block] = {}
        self._names: dict[frozenset[str], frozenset[str]] = {}  # each once: most calls mean one name

    def of(self, frame: Frame) -> Calls:
        """The calls of one frame."""
        if frame not in self._calls:
            self._calls[frame] = self._collect(frame)
        return self._calls[frame]

    def flows(self, function: str) -> Flows:
        """How values move inside a function."""
        if function not in self._flows:
            node = self._project.index.function(function).node
            calls = self._project.resolver.body(function).calls
            self._flows[function] = flows_of(node, calls, self.others(function))
        return self._flows[function]

    def skeleton(self, function: str) -> Block:
        """The statement skeleton of a function."""
        if function not in self._skeletons:
            node = self._project.index.function(function).node
            calls = self._project.resolver.body(function).calls
            self._skeletons[function] = skeleton_of(node, calls, self.others(function))
        return self._skeletons[function]

    def form(self, test: ast.expr, frame: Frame) -> Form:
        """The shape of a test in a frame's own code."""
        return Reader(self.of(frame).ordinals, self.others(frame.function)).form(test)

    def others(self, function: str) -> Others:
        """The names of their own for values of a function that have the name of the loss."""
        if function not in self._others:
            passes = function in self._project.get(_with_passes)
            body = own_body(self._project.index.function(function).node) if passes else []
            self._others[function] = other_losses(body)
        return self._others[function]

    def _collect(self, frame: Frame) -> Calls:
        found = Calls(self._project.index.function(frame.function))
        ordinals = found.facts.ordinals
        for edge in self._project.graph.edges.get(frame, ()):
            ordinal = ordinals.get(id(edge.site))
            if ordinal is None:
                continue
            if edge.callee.function.startswith(MODELS):
                self._mean(found, ordinal, self.library_name(edge.callee.function))
            found.edges.setdefault(ordinal, []).append(edge)
        for outside in self._project.graph.external.get(frame, ()):
            if id(outside.site) in ordinals:
                self._mean(found, ordinals[id(outside.site)], outside.name)
        return found

    def _mean(self, calls: Calls, ordinal: int, name: str) -> None:
        names = calls.named(ordinal) | {name}
        calls.names[ordinal] = self._names.setdefault(names, names)

    def library_name(self, function: str) -> str:
        """The dotted name that a framework model's function stands for."""
        path, _, qualname = function.partition("::")
        return f"{self._project.index.modules.name(path)}.{qualname}"


def _with_passes(project: Project) -> frozenset[str]:
    """The functions that may run a backward pass themselves."""
    return frozenset(facts.id for facts in project.mentioning(PASS) if facts.may_say((PASS,)))
