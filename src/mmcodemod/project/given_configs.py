"""Where reached code gives a DeepSpeed configuration to a library: `deepspeed.initialize(config=...)`, and
`deepspeed=` of TrainingArguments, of classes of the tree that extend them, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.terms import Call, last_name
from mmcodemod.knowledge.hf_deepspeed import is_training_arguments
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.callgraph import CallGraph
from mmcodemod.project.infer import Frame, Resolver
from mmcodemod.project.reach import Reach
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import ClassRef, External, Value

_KEYWORDS = {"deepspeed": "Arguments", "config": "initialize", "config_params": "initialize"}
_ARGUMENT = "deepspeed"
SPREAD = "**"  # the keyword of a dictionary that is spread
_CLASSES = ("Arguments", "Config")  # how the names of classes of training arguments end


@frozen()
class Giving:
    """One keyword of a call in `function`; SPREAD where it may be among those of a dictionary."""

    function: str
    site: Call
    keyword: str

    @property
    def call(self) -> ast.Call:
        """The call as a node of the syntax tree: reads the file again."""
        return node_of(self.site)

    @property
    def expr(self) -> ast.expr | None:
        return next((k.value for k in self.call.keywords if (k.arg or SPREAD) == self.keyword), None)

    @property
    def at(self) -> Place:
        line = next(k.value.lineno for k in self.site.keywords if (k.arg or SPREAD) == self.keyword)
        return Place(self.function.partition("::")[0], line)


class Givings:
    """What the frames of a graph give, each asked once: many entries reach the same ones."""

    def __init__(self, solver: Resolver, graph: CallGraph) -> None:
        self._solver = solver
        self._graph = graph
        self._known: dict[Frame, tuple[Giving, ...]] = {}

    def of(self, reach: Reach) -> list[Giving]:
        """In the order of functions."""
        functions = sorted(f for f in reach.functions if not is_stub(f))
        return [g for f in functions for frame in reach.frames(f)[:1] for g in self._by(frame)]

    def _by(self, frame: Frame) -> tuple[Giving, ...]:
        if frame not in self._known:
            self._known[frame] = tuple(_given(self._solver, self._graph, frame))
        return self._known[frame]


def _given(solver: Resolver, graph: CallGraph, frame: Frame) -> Iterator[Giving]:
    function = frame.function
    for outside in graph.external.get(frame, ()):
        for keyword in outside.site.keywords:
            wanted = _KEYWORDS.get(keyword.arg or "")
            if wanted and outside.name.endswith(wanted):
                yield Giving(function, outside.site, keyword.arg or "")
        if is_training_arguments(outside.name) and _may_spread(outside.site):
            yield Giving(function, outside.site, SPREAD)
    for call in _by_class(solver, frame):
        yield Giving(function, call, SPREAD if _may_spread(call) else _ARGUMENT)


def _may_spread(call: Call) -> bool:
    """May a dictionary that is spread, the only one, hold the configuration?"""
    given = [keyword.arg for keyword in call.keywords]
    return given.count(None) == 1 and _ARGUMENT not in given


def _by_class(solver: Resolver, frame: Frame) -> Iterator[Call]:
    """The calls that make such arguments by a class of the tree or of another library."""
    for call in solver.index.function(frame.function).body.calls:
        given = any(k.arg == _ARGUMENT for k in call.keywords) or _may_spread(call)
        if given and last_name(call).endswith(_CLASSES):
            values = solver.infer(call.func, frame)
            if values and all(_takes(solver, value) for value in values):
                yield call


def _takes(solver: Resolver, value: Value) -> bool:
    """Is it a class of training arguments which keeps the configuration that it is given?"""
    if isinstance(value, External):
        return is_training_arguments(value.name) and not value.name.endswith(_KEYWORDS[_ARGUMENT])
    if not isinstance(value, ClassRef) or _stores(solver, value.cls):
        return False
    return any(map(is_training_arguments, solver.classes.external_bases(value.cls)))


def _stores(solver: Resolver, cls: str) -> bool:
    """Does a method of the class put a configuration of its own in the place?"""
    own = [f"{facts.path}::{name}" for facts in solver.classes.own(cls) for name in facts.methods.values()]
    return any(store.attr == _ARGUMENT for f in own for store in solver.index.function(f).body.stores)
