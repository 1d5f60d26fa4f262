"""Training arguments that the code makes itself, without `deepspeed=`: `--deepspeed ds.json` of the launch is
then not the configuration that the Trainer runs with. Must-analysis: only where every Trainer that the run
makes is given such arguments, and others are parsed from the flags.

Source: transformers `TrainingArguments.__post_init__` (training_args.py): without `deepspeed` it takes no
file, and a `DeepSpeedPlugin()` of its own defaults where something has switched DeepSpeed on before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.terms import Attribute, Call, Name, Term
from mmcodemod.knowledge.hf_deepspeed import is_training_arguments, parses_arguments
from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.callgraph import CallGraph
from mmcodemod.project.infer import Frame, Resolver
from mmcodemod.project.reach import Reach
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import ClassRef, External, Value

NO_FILE = "the code makes the training arguments without `deepspeed`"
_FLAG = "deepspeed"
_TRAINER = "Trainer.__init__"
_OWN_FILE = (
    "deepspeed_config",
    "accelerate.deepspeed_config_file",
    "accelerate.deepspeed_config.deepspeed_config_file",
)  # a launcher's, which no training arguments are needed for


def without_its_file(context: Context, made: Place | None) -> Context:
    """The context whose `--deepspeed` does not reach the Trainer: which strategy it has is open."""
    given = context.option(_FLAG)
    library = context.entry is None or context.entry.library
    launchers = any(context.option(name).at is not None for name in _OWN_FILE)
    if made is None or library or launchers or given.at is None or not context.strategy.is_deepspeed:
        return context
    options = {n: o for n, o in context.options.items() if not n.startswith(f"{_FLAG}.")}
    decided = Option(UNKNOWN, made, NO_FILE)
    return replace(context, strategy=Strategy.UNKNOWN, strategy_from=decided, configs=(), options=options)


def made_without_file(solver: Resolver, graph: CallGraph, reach: Reach) -> Place | None:
    """Where the arguments of the first Trainer are made, where all are made so; None else."""
    if not _parses(graph, reach):
        return None
    places = []
    for frame, call in _trainers(graph, reach):
        at = _made(solver, frame, call)
        if at is None:
            return None
        places.append(at)
    if not places or any(_stores(solver, function) for function in reach.functions):
        return None
    return min(places)


def _parses(graph: CallGraph, reach: Reach) -> bool:
    """Does a parser of the run fill other arguments, which take the flags of the launch?"""
    frames = (frame for function in sorted(reach.functions) for frame in reach.frames(function))
    return any(parses_arguments(outside.name) for f in frames for outside in graph.external.get(f, ()))


def _trainers(graph: CallGraph, reach: Reach) -> Iterator[tuple[Frame, Call]]:
    """The calls of the tree's own code that make a Trainer."""
    for function in sorted(reach.functions):
        for frame in reach.frames(function) if not is_stub(function) else ():
            for edge in graph.edges.get(frame, ()):
                if edge.site is not None and edge.callee.function.endswith(_TRAINER):
                    if not _is_super(edge.site):
                        yield frame, edge.site


def _is_super(call: Call) -> bool:
    """Is it `super().__init__(...)`, which hands on what the class was given?"""
    return isinstance(call.func, Attribute) and isinstance(call.func.value, Call)


def _made(solver: Resolver, frame: Frame, trainer: Call) -> Place | None:
    """Where all that one Trainer may get as arguments is made without a file."""
    given = next((k.value for k in trainer.keywords if k.arg == "args"), None)
    if given is None and len(trainer.args) > 1:
        given = trainer.args[1]
    calls = list(_calls(solver, frame, given)) if given is not None else []
    if not calls or not all(c is not None and _is_bare(solver, frame, c) for c in calls):
        return None
    return Place(frame.function.partition("::")[0], min(c.lineno for c in calls if c is not None))


def _calls(solver: Resolver, frame: Frame, given: Term) -> Iterator[Call | None]:
    """The calls that an argument or a name of the function holds; None for anything else."""
    if isinstance(given, Name):
        sources = solver.index.function(frame.function).body.names.get(given.id, ())
        yield from (s.expr if isinstance(s.expr, Call) else None for s in sources)
    else:
        yield given if isinstance(given, Call) else None


def _is_bare(solver: Resolver, frame: Frame, call: Call) -> bool:
    """Does it make TrainingArguments, with keywords that all show and are no file?"""
    if len(call.args) > 1 or any(k.arg in (_FLAG, None) for k in call.keywords):
        return False
    values = solver.infer(call.func, frame)
    return bool(values) and all(_is_arguments(solver, value) for value in values)


def _is_arguments(solver: Resolver, value: Value) -> bool:
    if isinstance(value, External):
        return is_training_arguments(value.name)
    if not isinstance(value, ClassRef) or _has_own_file(solver, value.cls):
        return False
    return any(map(is_training_arguments, solver.classes.external_bases(value.cls)))


def _has_own_file(solver: Resolver, cls: str) -> bool:
    """Does a class of the tree give its arguments a file?"""
    return any(_FLAG in facts.attributes for facts in solver.classes.own(cls))


def _stores(solver: Resolver, function: str) -> bool:
    """Does it give arguments a file afterwards?"""
    if is_stub(function):
        return False
    return any(store.attr == _FLAG for store in solver.index.function(function).body.stores)
