"""Edges from a call of a registry to what configurations written in Python let it build."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.facts.terms import Call
from mmcodemod.model.grade import How
from mmcodemod.project.callgraph import CallGraph, Edge, Outside
from mmcodemod.project.configured import CALLED_BY_LIBRARY, Configured
from mmcodemod.project.frame import Frame
from mmcodemod.project.infer import Resolver
from mmcodemod.project.values import Bound, ClassRef, External, FunctionRef, Mapping, Value, Values


class RegistryCalls:
    """What calls of registries make is known from round to round; library calls go into the graph given."""

    def __init__(self, resolver: Resolver, configured: Configured) -> None:
        self._resolver = resolver
        self._configured = configured
        self._loaded: set[str] = set()  # configurations that a call of a registry may build

    def build(self, name: str, call: Call, frame: Frame, graph: CallGraph) -> Iterator[Edge]:
        """A registry builds what a mapping says, or what the configurations of the tree say."""
        chosen = self._configured.chosen(name, call, frame)
        for target, mappings in chosen or ():
            named = self._configured.place(target)
            for edge in self._make(target, self._configured.arguments(target, mappings), call, frame, graph):
                yield edge._replace(named=named)
        for path in self._configured.alternatives() if chosen is None else ():
            self._loaded.add(path)
            yield Edge(frame, Frame(f"{path}::<module>"), call, How.REGISTRY, call.lineno)

    def built(self, frame: Frame, graph: CallGraph) -> Iterator[Edge]:
        """What a loaded configuration lists, each from its line there."""
        if self.is_loaded(frame):
            for typed in self._configured.alternatives()[frame.function.partition("::")[0]]:
                arguments = self._configured.arguments(typed.target, frozenset())
                yield from self._make(typed.target, arguments, typed.call, frame, graph)

    def is_loaded(self, frame: Frame) -> bool:
        """Is it the code of a configuration? A `dict(type=f)` there calls nothing, a registry does."""
        if not self._loaded or not frame.function.endswith("::<module>"):
            return False
        return frame.function.partition("::")[0] in self._loaded

    def _make(
        self, target: Value, arguments: dict[str, Values], call: Call, frame: Frame, graph: CallGraph
    ) -> Iterator[Edge]:
        if isinstance(target, External):
            graph.external.setdefault(frame, []).append(Outside(target.name, call))
        elif isinstance(target, (FunctionRef, Bound)):
            to = Frame(target.function, target.receiver if isinstance(target, Bound) else "")
            yield self._given(to, arguments, Edge(frame, to, call, How.REGISTRY, call.lineno))
        elif isinstance(target, ClassRef):
            init = self._resolver.classes.find(target.cls, "__init__")
            if init:
                to = Frame(init, target.cls)
                yield self._given(to, arguments, Edge(frame, to, call, How.REGISTRY, call.lineno))
            for name in CALLED_BY_LIBRARY:
                method = self._resolver.classes.find(target.cls, name)
                if method and init != method:
                    yield Edge(frame, Frame(method, target.cls), call, How.FRAMEWORK, call.lineno)

    def _given(self, to: Frame, arguments: dict[str, Values], edge: Edge) -> Edge:
        parameters = self._resolver.index.function(to.function).parameters
        for name, values in arguments.items():
            if name in parameters.by_name:
                self._pass(to, name, values)
            elif parameters.keywords:
                self._pass(to, parameters.keywords, frozenset((Mapping(((name, values),)),)))
        return edge

    def _pass(self, to: Frame, name: str, values: Values) -> None:
        if values:
            self._resolver.grow(self._resolver.params, (to, name), values)
