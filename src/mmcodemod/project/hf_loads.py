"""Calls that make transformers build a model, and the models that training steps. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.terms import Attribute, Call, Term
from mmcodemod.knowledge.modules import is_weightless, makes_module
from mmcodemod.model.frozen import frozen
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.values import ClassRef, External, Value

METHODS = ("from_pretrained", "from_config", "_from_config")
_TRAINER = f"{MODELS}/transformers.py::Trainer.__init__"
# Library calls that take the model to train as their first argument or as one of these keywords.
_TAKERS = ("deepspeed.initialize", ".prepare", ".FullyShardedDataParallel", ".DistributedDataParallel")
_KEYWORDS = ("model", "module")


@frozen()
class HfLoad:
    """`X.from_pretrained(...)` of a transformers class, or of a class of the tree that extends one."""

    at: Call
    name: str
    weightless: bool

    @property
    def call(self) -> ast.Call:
        """The call as a node of the syntax tree: reads the file again."""
        return node_of(self.at)

    @property
    def short(self) -> str:
        """How a message names it."""
        return self.name.rpartition(".")[2]


def hf_loads(project: Project, function: str) -> Iterator[HfLoad]:
    """The loads in one function, in source order."""
    facts = project.index.function(function)
    for site in facts.body.calls if facts.may_say(METHODS) else ():
        if isinstance(site.func, Attribute) and site.func.attr in METHODS:
            names = sorted(n for n in _classes(project, site.func, function) if n)
            models = [n for n in names if not is_weightless(n.rpartition(".")[2])]
            if names:
                yield HfLoad(site, (models or names)[0], not models)


def _classes(project: Project, func: Attribute, function: str) -> set[str]:
    """The classes that the call builds; classes that are not Hugging Face's are left out."""
    found = {_class(project, v, func.attr) for v in project.values(func.value, function)}
    return found | {n.rpartition(".")[0] for n in project.names(func, function) if _is_hf(n)}


def _class(project: Project, value: Value, method: str) -> str:
    if isinstance(value, External):
        return value.name if _is_hf(f"{value.name}.{method}") else ""
    if isinstance(value, ClassRef) and project.resolver.classes.find(value.cls, method) is None:
        bases = project.resolver.classes.external_bases(value.cls)
        if any(_is_hf(f"{b}.{method}") for b in bases):
            return value.cls.partition("::")[2]
    return ""


def _is_hf(name: str) -> bool:
    """Does transformers itself carry out this `X.from_pretrained`?"""
    owner, _, method = name.rpartition(".")
    if method not in METHODS or not name.startswith(("transformers.", "trl.AutoModel")):
        return False
    return makes_module(name) or is_weightless(owner.rpartition(".")[2])


def trained_models(project: Project) -> frozenset[Value]:
    """What training code hands to a Trainer, an Accelerator or DeepSpeed as the model. Use through
    `project.get(trained_models)`; empty when nothing of it resolves."""
    found: set[Value] = set()
    for (frame, name), values in project.resolver.params.items():
        if frame.function == _TRAINER and name == "model":
            found |= values
    for frame, calls in project.graph.external.items():
        for outside in calls:
            if outside.name.endswith(_TAKERS):
                found |= {v for e in _handed(outside.site) for v in project.solver.infer(e, frame)}
    return frozenset(found)


def _handed(call: Call) -> list[Term]:
    return [*call.args, *(k.value for k in call.keywords if k.arg in _KEYWORDS)]


def initialized(project: Project, functions: set[str]) -> list[tuple[Frame, ast.Call]]:
    """The `deepspeed.initialize(...)` calls in some functions."""
    return [
        (frame, outside.call)
        for frame, calls in project.graph.external.items()
        for outside in calls
        if outside.name == "deepspeed.initialize" and frame.function in functions
    ]
