"""Calls that change parameters in place on a model that ZeRO-3 may hold in shards. Must-analysis of whose
parameters they are: what the tree itself puts into a model may be whole."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import last_name
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.arguments import given_at
from mmcodemod.project.flow import flow_of
from mmcodemod.project.gathered import WORDS, Spelling
from mmcodemod.project.hf_loads import trained_models
from mmcodemod.project.lost_writes import IN_INIT, LOADS, NO_WRITES, changed_by
from mmcodemod.project.model import Project
from mmcodemod.project.partition import is_hf_load, is_loaded
from mmcodemod.project.stubs import MODELS, is_stub
from mmcodemod.project.values import Instance, Made

_ATTACHES = {"add_module": 0, "register_module": 0, "setattr": 1}  # where each takes the name
RESIZES = "resize_token_embeddings"
EMBEDDINGS = ("get_input_embeddings", "get_output_embeddings", "embed_tokens", "lm_head", "wte", "shared")
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
    """Takes for a gathered parameter one that belongs to a followed model."""

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
            return self._model(expr.value)
        return None

    def _source(self, source: NodeSource, steps: int) -> ast.expr | None:
        if source.via is Via.VALUE and source.index < 0 and steps < 3:
            return self.owner(source.expr, steps + 1)
        expr = source.expr
        if source.via is Via.ELEMENT and isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
            if _LISTS.get(expr.func.attr) == source.index and not source.inner:
                return self._model(expr.func.value)
        return None

    def _model(self, expr: ast.expr) -> ast.expr | None:
        """The followed model that a chain of attributes and getters begins with."""
        if is_model(self.project, self.function, expr):
            return expr
        if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and not expr.args:
            return self._model(expr.func.value)
        if isinstance(expr, ast.Attribute) and expr.attr not in self.project.get(_stored):
            return self._model(expr.value)
        return None


def sharded_writes(project: Project) -> list[ShardedWrite]:
    """Those of training code, in source order. Use through `project.get(sharded_writes)`."""
    return [
        found
        for facts in project.functions()
        if facts.id in project.trained and not is_stub(facts.id) and not _is_method(project, facts)
        for found in _of(project, facts)
    ]


def _is_method(project: Project, facts: FunctionFacts) -> bool:
    """Is it a method of a module? `__init__` runs before its parameters are cut up, `forward` when whole."""
    return bool(facts.owner) and project.is_module(f"{facts.path}::{facts.owner}")


def _of(project: Project, facts: FunctionFacts) -> Iterator[ShardedWrite]:
    if not _may_write(project, facts):
        return
    owned = _Owned(project, facts.id)
    for call in project.resolver.body(facts.id).calls:
        changed = changed_by(owned, call)
        owner = _owner(owned, changed) if changed is not None else None
        if changed is not None and owner is not None and not _chosen(project, facts.id, call, changed):
            loaded = is_loaded(project, owner, facts.id)
            yield ShardedWrite(facts.id, call, changed, loaded, _resized(project, changed, facts.id))


def _chosen(project: Project, function: str, call: ast.Call, changed: ast.expr) -> bool:
    """Does a test on what a loop gives choose the parameter? Then it may be one that was added later."""
    names = project.resolver.body(function).names
    root = next((n.id for n in ast.walk(changed) if isinstance(n, ast.Name)), "")
    over = [ast.dump(s.expr) for s in names.get(root, ()) if s.via is Via.ELEMENT]
    loop = {n for n, sources in names.items() for s in sources if ast.dump(s.expr) in over}
    tests = [test.test for test, _ in flow_of(project, function).tests(call)]
    return any(isinstance(n, ast.Name) and n.id in loop for test in tests for n in ast.walk(test))


def _may_write(project: Project, facts: FunctionFacts) -> bool:
    """A look at the facts: is there a call that `changed_by` may know?"""
    words = {last_name(call) for call in facts.body.calls}
    ending = {word for word in words if word.endswith("_") and not word.endswith("__")}
    if not ending.issubset(NO_WRITES) or not (ending and words.isdisjoint(LOADS)):
        return bool(ending)
    names = (name for call in facts.body.calls for name in project.names(call.func, facts.id))
    return any(name.startswith(IN_INIT) for name in names)


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


def _stored(project: Project) -> frozenset[str]:
    """The attributes that code of the tree sets: what hangs there may be built later than the model."""
    run = [facts for facts in project.functions() if facts.id in project.trained]
    plain = {store.attr for facts in run for store in facts.body.stores}
    return frozenset(plain.union(*(_attached(project, facts) for facts in run)))


def _attached(project: Project, facts: FunctionFacts) -> Iterator[str]:
    """The attributes that `add_module("proj", ...)` or `setattr(model, "proj", ...)` sets."""
    for call in project.calls_of(facts.id, _ATTACHES):
        position = _ATTACHES[call.func.id if isinstance(call.func, ast.Name) else call.func.attr]  # type: ignore[attr-defined]
        name = given_at(call, position, "name")
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value


def _resized(project: Project, expr: ast.expr, function: str) -> Place | None:
    """Where training code gives a model new embeddings, when the parameter may be one of them."""
    spelled = Spelling(project, function).of(expr)
    if not any(word in spelled for word in EMBEDDINGS) and not isinstance(expr, ast.Name):
        return None
    found = [
        project.place(facts.path, call)
        for facts in project.mentioning(RESIZES)
        if facts.id in project.trained
        for call in project.calls_of(facts.id, (RESIZES,))
    ]
    return min(found, default=None)
