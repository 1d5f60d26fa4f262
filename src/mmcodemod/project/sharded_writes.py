"""Calls that change parameters in place on a model that ZeRO-3 may hold in shards. Must-analysis of whose
parameters they are: what the tree itself puts into a model may be whole."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Call, Name, last_name
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.gathered import WORDS, Spelling
from mmcodemod.project.hf_loads import trained_models
from mmcodemod.project.lost_writes import IN_INIT, LOADS, NO_WRITES, changed_by
from mmcodemod.project.model import Project
from mmcodemod.project.model_parts import ModelParts
from mmcodemod.project.new_embeddings import resized
from mmcodemod.project.on_loaded import runs_on_loaded
from mmcodemod.project.partition import is_hf_load, is_loaded
from mmcodemod.project.stubs import MODELS, is_stub
from mmcodemod.project.values import Instance, Made

_ENGINE = f"{MODELS}/deepspeed.py::DeepSpeedEngine"
_LISTS = {"parameters": -1, "named_parameters": 1}


@frozen()
class ShardedWrite:
    """`call` changes `of`, a parameter of a model; `loaded` when `from_pretrained` has made the model.
    `resized` is a line that gives the model new embeddings, which are whole, when it may be one of those."""

    function: str
    call: ast.Call
    of: ast.expr
    loaded: bool
    resized: Place | None


@frozen()
class _Owned(Spelling):
    """Takes for a gathered parameter one that belongs to a followed model. `own` is the `self` of a method
    that runs on loaded models, "" elsewhere."""

    own: str = ""

    def gathered(self, expr: ast.expr) -> bool:
        return self.owner(expr) is not None

    def module(self, expr: ast.expr) -> bool:
        return False

    def owner(self, expr: ast.expr, steps: int = 0) -> ast.expr | None:
        """The model that a parameter belongs to; None when it is no parameter, or not followed."""
        if isinstance(expr, ast.Name):
            found = [self._source(source, steps) for source in self.sources(expr.id)]
            return found[0] if found and all(found) else None
        if isinstance(expr, ast.Attribute) and expr.attr == "data":
            return self.owner(expr.value, steps)
        if isinstance(expr, ast.Attribute) and expr.attr in WORDS:
            return self.parts.owner(expr.value)
        return None

    @property
    def parts(self) -> ModelParts:
        """The models that the function may change."""
        return ModelParts(self.project, self.function, self._followed)

    def _followed(self, expr: ast.expr) -> bool:
        return self.is_own(expr) or is_model(self.project, self.function, expr)

    def is_own(self, expr: ast.expr) -> bool:
        return isinstance(expr, ast.Name) and expr.id == self.own

    def _source(self, source: NodeSource, steps: int) -> ast.expr | None:
        if source.via is Via.VALUE and source.index < 0 and steps < 3:
            return self.owner(source.expr, steps + 1)
        expr = source.expr
        if source.via is Via.ELEMENT and isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
            if _LISTS.get(expr.func.attr) == source.index and not source.inner:
                return self.parts.owner(expr.func.value)
        return None


def sharded_writes(project: Project) -> list[ShardedWrite]:
    """Those of training code, in source order. Use through `project.get(sharded_writes)`."""
    return [
        found
        for facts in project.functions()
        if facts.id in project.trained and not is_stub(facts.id) and _may_write(project, facts)
        for found in _of(project, facts)
    ]


def _is_method(project: Project, facts: FunctionFacts) -> bool:
    """Is it a method of a module? `__init__` runs before its parameters are cut up, `forward` when whole."""
    return bool(facts.owner) and project.is_module(f"{facts.path}::{facts.owner}")


def _of(project: Project, facts: FunctionFacts) -> Iterator[ShardedWrite]:
    method = _is_method(project, facts)
    if method and not runs_on_loaded(project, facts):
        return
    owned = _Owned(project, facts.id, own=facts.parameters.first if method else "")
    for call in project.resolver.body(facts.id).calls:
        changed = changed_by(owned, call)
        owner = _owner(owned, changed) if changed is not None else None
        if changed is not None and owner is not None and not owned.parts.chosen(call, changed):
            loaded = owned.is_own(owner) or is_loaded(project, owner, facts.id)
            yield ShardedWrite(facts.id, call, changed, loaded, resized(project, changed, facts.id))


def _may_write(project: Project, facts: FunctionFacts) -> bool:
    """A look at the facts: is there a call that `changed_by` may know?"""
    words = {word for call in facts.body.calls for word in _words(facts, call)}
    ending = {word for word in words if word.endswith("_") and not word.endswith("__")}
    if not ending.issubset(NO_WRITES) or not (ending and words.isdisjoint(LOADS)):
        return bool(ending)
    names = (name for call in facts.body.calls for name in project.names(call.func, facts.id))
    return any(name.startswith(IN_INIT) for name in names)


def _words(facts: FunctionFacts, call: Call) -> Iterator[str]:
    """What a call names, and what its name is given: `fill = nn.init.zeros_`"""
    yield last_name(call)
    if isinstance(call.func, Name):
        yield from (last_name(source.expr) for source in facts.body.names.get(call.func.id, ()))


def _owner(owned: _Owned, expr: ast.expr) -> ast.expr | None:
    while isinstance(expr, ast.Subscript):
        expr = expr.value
    return owned.owner(expr)


def is_model(project: Project, function: str, expr: ast.expr) -> bool:
    """Is it certainly a model that transformers has loaded, or that training holds?"""
    values = project.values(expr, function)
    trained = project.get(trained_models)
    return bool(values) and all(
        (isinstance(v, Made) and is_hf_load(v.by))
        or (isinstance(v, Instance) and v.cls.startswith(_ENGINE))
        or (isinstance(v, Instance) and v in trained)
        for v in values
    )
