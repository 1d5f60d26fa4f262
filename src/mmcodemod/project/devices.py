"""Which GPU each rank uses: code that gives each its own, and code that takes the default one. May-analysis
of what a run reaches."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.facts.terms import Call, last_name
from mmcodemod.model.context import Entry
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.project.bits import Bits
from mmcodemod.project.differs import ranks_apart
from mmcodemod.project.keys_in_code import set_in_code
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins

GROUP = "torch.distributed.init_process_group"
_LIBRARIES = (
    "deepspeed.initialize", "deepspeed.init_distributed", "accelerate.Accelerator", "accelerate.PartialState",
    "lightning.Trainer", "pytorch_lightning.Trainer", "lightning.Fabric",
)  # fmt: skip
_MODELLED = ("transformers.Trainer", "mmengine.runner.Runner")
_PLACES = ("cuda", "to", "device", "Device", "set_device", "get_device")
_NAMED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
_DEFAULT = ("cuda", "cuda:0")


def groups(project: Project) -> Iterator[tuple[str, ast.Call]]:
    """The calls that make a process group of NCCL: function and call."""
    for facts in project.mentioning("init_process_group"):
        for call in project.calls_of(facts.id, ("init_process_group",)):
            backend = next((k.value for k in call.keywords if k.arg == "backend"), None)
            given = backend if backend is not None else call.args[0] if call.args else None
            if given is not None and GROUP in project.names(call.func, facts.id):
                if all("nccl" in texts for texts in _texts(project, facts, given)):
                    yield facts.id, call


def own_device(project: Project, entry: Entry | None) -> Note | None:
    """The line that gives each rank its GPU, or the library that does; None where none shows."""
    if entry is not None:
        at = set_in_code(project, entry, "CUDA_VISIBLE_DEVICES")
        if at is not None:
            return Note(at, "the code itself chooses the visible GPUs")
    for facts, call in choices(project, entry):
        return Note(project.place(facts.path, call), _chooses(project, facts, call))
    if by_framework(project, entry):
        return Note(Place(entry.path if entry else "", 1), "the Trainer gives each rank its GPU")
    return None


def by_framework(project: Project, entry: Entry | None) -> bool:
    """Does a run construct a Trainer that gives each rank its GPU?"""
    return any(project.uses(name, entry) for name in _MODELLED)


def choices(project: Project, entry: Entry | None) -> Iterator[tuple[FunctionFacts, ast.Call]]:
    """The calls of a run that choose a GPU, or leave that to a library."""
    for facts in _reached(project, entry, "device", "cuda", ".to(", *_LIBRARIES):
        for site in facts.body.calls:
            if _may_choose(project, facts, site) and _chooses(project, facts, call := node_of(site)):
                yield facts, call


def _may_choose(project: Project, facts: FunctionFacts, call: Call) -> bool:
    """Asked before the syntax is read."""
    told = any(keyword.arg in ("device_ids", "device_id") for keyword in call.keywords)
    return told or last_name(call) in _PLACES or not project.names(call.func, facts.id).isdisjoint(_LIBRARIES)


def takes_place(call: ast.Call) -> bool:
    """Do its arguments say where something goes: `x.to(device)`, `torch.cuda.set_device(0)`?"""
    return _word(call) in _PLACES


def _word(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _chooses(project: Project, facts: FunctionFacts, call: ast.Call) -> str:
    word = _word(call)
    if word == "set_device":
        return "each rank is given a GPU"
    if any(keyword.arg in ("device_ids", "device_id") for keyword in call.keywords):
        return "each rank is told its GPU"
    names = project.names(call.func, facts.id)
    if any(name in _LIBRARIES for name in names):
        return "the library gives each rank its GPU"
    given = (*call.args, *(k.value for k in call.keywords if k.arg == "device"))
    if word in _PLACES and any(ranks_apart(project, facts.id, arg) & Bits.RANK for arg in given):
        return "the GPU depends on the rank"
    return "the code chooses the GPU" if word in ("cuda", "device") and not _constant(call) else ""


def _constant(call: ast.Call) -> bool:
    """Are all its positional arguments written down, and no number among them?"""
    return not any(isinstance(n, _NAMED) for arg in call.args for n in _shown(arg))


def _shown(arg: ast.expr) -> Iterator[ast.AST]:
    """The parts of an argument; of `"cuda" if torch.cuda.is_available() else "cpu"` the two arms."""
    if isinstance(arg, ast.IfExp):
        yield from _shown(arg.body)
        yield from _shown(arg.orelse)
    else:
        yield from walk(arg)


def default_device(project: Project, entry: Entry | None) -> tuple[Place, str] | None:
    """The first line that puts something on the default GPU, and how it says so."""
    found = []
    for facts in _reached(project, entry, "cuda"):
        for site in facts.body.calls:
            if last_name(site) not in _PLACES and all(k.arg != "device" for k in site.keywords):
                continue
            call = node_of(site)
            said = _default(project, facts, call)
            if said:
                found.append((project.place(facts.path, call), said))
    return min(found, default=None)


def _default(project: Project, facts: FunctionFacts, call: ast.Call) -> str:
    """`model.cuda()`, `x.to("cuda")`, `torch.device("cuda:0")`, `torch.zeros(1, device="cuda")`, also where a
    name holds the text."""
    word = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if word == "cuda" and not call.args and all(k.arg == "non_blocking" for k in call.keywords):
        return "cuda"
    alone = word in ("to", "cuda") or (word == "device" and len(call.args) == 1)
    given = call.args[:1] if alone else []
    named = [*given, *(k.value for k in call.keywords if k.arg == "device")]
    for arg in named:
        every = _texts(project, facts, arg)
        said = [text for texts in every for text in texts if text in _DEFAULT]
        if said and all(set(texts) & {*_DEFAULT, "cpu"} for texts in every):
            return said[0]
    return ""


def _texts(project: Project, facts: FunctionFacts, arg: ast.expr) -> list[list[str]]:
    """The texts in each expression that an argument comes from."""
    named = isinstance(arg, (ast.Name, ast.Attribute))
    ends = [o.expr for o in Origins(project).of(arg, facts.id)] if named else [arg]
    shown = ([n.value for n in _shown(end) if isinstance(n, ast.Constant)] for end in ends)
    return [[value for value in values if isinstance(value, str)] for values in shown] or [[]]


def _reached(project: Project, entry: Entry | None, *words: str) -> Iterator[FunctionFacts]:
    reach = project.reach(entry) if entry else None
    for facts in project.mentioning(*words):
        if facts.id in project.trained and (reach is None or facts.id in reach):
            yield facts
