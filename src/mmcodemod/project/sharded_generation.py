"""Calls of `generate` on a model that training holds in shards, and whether ranks end together."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Via
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project import versions
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.hf_loads import trained_models
from mmcodemod.project.model import Project
from mmcodemod.project.passes import Seen
from mmcodemod.project.prepared import prepared_before
from mmcodemod.project.spread_display import spread_entries
from mmcodemod.project.stubs import MODELS, is_stub
from mmcodemod.project.taint import Taint
from mmcodemod.project.values import Instance, Made, Value
from mmcodemod.project.zero_init import config_order

METHOD = "generate"
SYNCED = "synced_gpus"
ASKS_ITSELF = "4.28.0"  # transformers: `generate` sets synced_gpus under ZeRO-3 (its pull request 22242)
_HUGGING_FACE = ("transformers.", "peft.", "trl.")
_LOADER = f"{MODELS}/torch__utils__data.py::DataLoader"
_ENGINE = f"{MODELS}/deepspeed.py::DeepSpeedEngine"


@frozen()
class Generation:
    """`call` generates with the trained model; `synced` is what it says of `synced_gpus`, None where it says
    nothing; `alike` when nothing shows that ranks generate for different inputs."""

    function: str
    call: ast.Call
    synced: ast.expr | None
    alike: bool


def generations(project: Project) -> list[Generation]:
    """Those of training code, where it shows what they say of `synced_gpus`. Use through `project.get`."""
    return [
        Generation(facts.id, call, _synced(project, facts, call), _alike(project, facts.id, call))
        for facts in project.mentioning(METHOD)
        if facts.id in project.trained and not is_stub(facts.id)
        for call in project.calls_of(facts.id, (METHOD,))
        if _generates(project, facts, call)
    ]


def _synced(project: Project, facts: FunctionFacts, call: ast.Call) -> ast.expr | None:
    """What the call says, by the keyword or in a dictionary that is spread."""
    own = next((k.value for k in call.keywords if k.arg == SYNCED), None)
    return own or (spread_entries(project, facts, call) or {}).get(SYNCED)


def _generates(project: Project, facts: FunctionFacts, call: ast.Call) -> bool:
    """Does transformers itself generate here, with the model that is trained?"""
    if not isinstance(call.func, ast.Attribute) or _may_be_told(project, facts, call):
        return False
    values = project.values(call.func.value, facts.id)
    trained = project.get(trained_models)
    return any(_is_engine(v) or v in trained for v in values) and any(
        _hugging_face(project, v) for v in values
    )


def _may_be_told(project: Project, facts: FunctionFacts, call: ast.Call) -> bool:
    """May a mapping that is spread hold the keyword? Not where all that it holds shows, nor where no file of
    the tree names it."""
    told = any(k.arg == SYNCED for k in call.keywords)
    spread = not told and spread_entries(project, facts, call) is None
    return spread and any(True for _ in project.mentioning(SYNCED))


def _is_engine(value: Value) -> bool:
    return isinstance(value, Instance) and value.cls.startswith(_ENGINE)


def _hugging_face(project: Project, value: Value) -> bool:
    """Is `generate` of this object that of transformers?"""
    if isinstance(value, Made):
        return value.by.startswith(_HUGGING_FACE)
    if not isinstance(value, Instance):
        return False
    if _is_engine(value):
        inner = project.resolver.member(value, "module")
        return any(_hugging_face(project, v) for v in inner if not _is_engine(v))
    own = project.resolver.classes.find(value.cls, METHOD)
    return (own is None or is_stub(own)) and any(
        base.startswith(_HUGGING_FACE) for base in project.resolver.classes.external_bases(value.cls)
    )


def _alike(project: Project, function: str, call: ast.Call) -> bool:
    """Does nothing that is passed depend on the rank, on its data, or on what its loader gives?"""
    if any(_loaded(project, function, n.id) for n in walk(call) if isinstance(n, ast.Name)):
        return False
    sites, taint = project.get(CallSites), project.get(Taint)
    for frame in project.frames(function):
        ordinal = sites.of(frame).ordinals.get(id(call))
        if ordinal is None:
            continue
        passed = sites.flows(function).calls[ordinal]
        if any(taint.reads(r, frame) for r in (*passed.args, *(reads for _, reads in passed.keywords))):
            return False
    return True


def _loaded(project: Project, function: str, name: str) -> bool:
    """Is it the variable of a loop over a DataLoader?"""
    over = (s.expr for s in project.resolver.body(function).names.get(name, ()) if s.via is Via.ELEMENT)
    values = (
        v for expr in over for n in walk(expr) if isinstance(n, ast.expr) for v in project.values(n, function)
    )
    return any(isinstance(v, Instance) and v.cls.startswith(_LOADER) for v in values)


def ends_apart(project: Project, context: Context, found: Generation) -> Answer:
    """May one rank stop while others still gather? Not where transformers sees by itself that ZeRO-3 runs."""
    if found.synced is not None:
        return Fatal()
    known = config_order(project, context).before(found.function, found.call)
    if context.entry is None or known is None:
        return Excluded(
            Note(project.place(found.function.partition("::")[0], found.call), "its callers decide")
        )
    if known.seen is Seen.NEVER:
        return Fatal()
    if versions.below(context, "transformers", ASKS_ITSELF):
        at = versions.pinned(context, "transformers", f", which sets `{SYNCED}` only since {ASKS_ITSELF}")
        return Fatal(at)
    if known.seen is Seen.MAYBE:
        return Unclear("whether transformers knows the DeepSpeed configuration then", plausible=False)
    return Excluded(
        Note(min(known.at), f"tells transformers of ZeRO-3, so `{METHOD}` sets `{SYNCED}` itself")
    )


def in_shards(project: Project, context: Context, found: Generation) -> Answer:
    """Has something taken the model for training by then?"""
    state = prepared_before(project, context, found.function, found.call)
    if state is not None and state.seen is Seen.ALWAYS:
        return Fatal(Note(min(state.at), "takes the model for training: its parameters are in shards"))
    if state is not None and state.seen is Seen.NEVER:
        at = project.place(found.function.partition("::")[0], found.call)
        return Excluded(Note(at, "nothing has taken the model for training before"))
    return Unclear("whether the parameters are in shards by then", plausible=False)
