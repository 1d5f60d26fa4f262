"""When transformers knows the DeepSpeed configuration: only then does `from_pretrained` partition. Open where
a library that nothing here knows may make the training arguments; may miss other unresolved code."""

from __future__ import annotations

import ast
from functools import lru_cache, partial

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.syntax import walk
from mmcodemod.facts.terms import Attribute, Call
from mmcodemod.knowledge.hf_deepspeed import (
    is_accelerator,
    is_hf_config,
    is_parser_method,
    is_training_arguments,
    is_zero_init,
    parses_arguments,
)
from mmcodemod.model.context import Context
from mmcodemod.project.argument_classes import classes_in, constructions, library_names
from mmcodemod.project.callgraph import makes
from mmcodemod.project.dropped import dropped_in
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.order import Order
from mmcodemod.project.outside_arguments import outside_makers
from mmcodemod.project.passes import Events, Lasts
from mmcodemod.project.reach import roots
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import ClassRef, Value


def config_order(project: Project, context: Context) -> Order:
    """The order of everything that makes the configuration known, in one context."""
    known, events = project.get(_orders)
    start = (context.entry.path, context.entry.symbol) if context.entry else None
    if start not in known:
        if context.entry is not None:
            groups = [roots(project.index, context.entry)]
        else:
            groups = [[frame] for frame in sorted(_uncalled(project))]
        calls = project.get(_telling), project.get(outside_makers)
        known[start] = Order(project, groups, partial(_announces, project, *calls), events)
    return known[start]


def _orders(project: Project) -> tuple[dict[object, Order], dict[Frame, Events]]:
    return {}, {}


def _uncalled(project: Project) -> set[Frame]:
    called = {e.callee for edges in project.graph.edges.values() for e in edges if e.site is not None}
    return set(project.graph.frames) - called


def _telling(project: Project) -> set[int]:
    """The ids of the calls that may announce, by what the call graph says of them: few of all."""
    graph = project.graph
    outside = (call for calls in graph.external.values() for call in calls)
    found = {id(call.site) for call in outside if _may_tell(call.name.removesuffix(".__init__"))}
    own = {cls for cls in graph.made if not is_stub(cls) and _library_name(project, ClassRef(cls))}
    edges = (edge for edges in graph.edges.values() for edge in edges)
    return found | {id(edge.site) for edge in edges if edge.callee.receiver in own and makes(edge.callee)}


def _announces(
    project: Project, telling: set[int], outside: set[int], call: Call, frame: Frame
) -> Lasts | None:
    """`announces`, asked only of calls that may; open for those of which nothing is known."""
    parses = isinstance(call.func, Attribute) and is_parser_method(call.func.attr)
    found = announces(project, call, frame) if parses or id(call) in telling else None
    return found or (Lasts.OPEN if id(call) in outside else None)


def announces(project: Project, call: Call, frame: Frame) -> Lasts | None:
    """Does this call tell transformers of the DeepSpeed configuration, and for how long? What a framework's
    own code tells was told before by what it was given."""
    if is_stub(frame.function):
        return None
    if isinstance(call.func, Attribute) and is_parser_method(call.func.attr):
        if _for_training(project, call, frame):
            return Lasts.RUN
    for value in project.solver.infer(call.func, frame):
        name = _library_name(project, value)
        if not _may_tell(name):
            continue
        if is_zero_init(name):
            return Lasts.BLOCK
        if is_training_arguments(name) or is_accelerator(name):
            return Lasts.RUN
        if parses_arguments(name) and _for_training(project, call, frame):
            return Lasts.RUN
        if is_hf_config(name):
            return _kept(project, node_of(call), frame)
    return None


@lru_cache(4096)
def _may_tell(name: str) -> bool:
    """The quick question: few names are asked for again and again."""
    asks = (is_zero_init, is_training_arguments, is_accelerator, parses_arguments, is_hf_config)
    return any(ask(name) for ask in asks)


def _library_name(project: Project, value: Value) -> str:
    """The library class that a class is or extends, or the library callable."""
    names = library_names(project, value)
    if isinstance(value, ClassRef) and not is_stub(value.cls):
        told = (is_training_arguments, is_hf_config, is_accelerator)
        return next((name for name in names if any(ask(name) for ask in told)), "")
    return names[0]


def library_classes(project: Project, call: Call, frame: Frame, parsed: bool) -> list[str]:
    """The library classes, by dotted name, that a call makes: those that a parser was given, or its own."""
    if not parsed:
        values = project.solver.infer(call.func, frame)
        return sorted({name for v in values if (name := _library_name(project, v))})
    made = constructions(project, call, frame)
    return sorted({n for m in made for c in _classes(project, m, frame) if (n := _library_name(project, c))})


def _for_training(project: Project, call: Call, frame: Frame) -> bool:
    """Is a TrainingArguments among what the parser was given? Yes when that does not show."""
    classes = [c for made in constructions(project, call, frame) for c in _classes(project, made, frame)]
    names = [_library_name(project, c) for c in classes]
    return not classes or any(is_training_arguments(n) for n in names)


def _classes(project: Project, made: Call, frame: Frame) -> list[Value]:
    argument = made.args[0] if made.args else made.keywords[0].value if made.keywords else None
    return classes_in(project, argument, frame) if argument is not None else []


def _kept(project: Project, call: ast.Call, frame: Frame) -> Lasts | None:
    """transformers holds only a weak reference: an object that nobody keeps is gone at once."""
    if id(call) in dropped_in(project, frame.function):
        return None
    facts = project.index.function(frame.function)
    if facts.qualname.startswith("<"):
        return Lasts.RUN
    body = project.resolver.body(frame.function)
    names = {n for n, sources in body.names.items() if any(s.expr is call for s in sources)}
    returned = {n.id for r in body.returns for n in walk(r) if isinstance(n, ast.Name)}
    if not names or names & body.globals or names & returned:
        return Lasts.RUN
    return Lasts.FUNCTION


def dropped_configs(project: Project) -> list[tuple[str, ast.Call]]:
    """(function, call) of every `HfDeepSpeedConfig(...)` whose object is dropped at once."""
    found = []
    for frame, calls in project.graph.external.items():
        for outside in calls:
            if is_hf_config(outside.name) and id(outside.call) in dropped_in(project, frame.function):
                found.append((frame.function, outside.call))
    return found
