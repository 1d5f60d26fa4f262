"""Calls that map a dataset in several processes: how many, and what the mapped function takes along.
May-analysis by the keyword `num_proc` of datasets.Dataset."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.facts.terms import Call, Name, last_name
from mmcodemod.knowledge.long_work import DATASET_METHODS
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.passings import default_of
from mmcodemod.project.values import Bound, FunctionRef, Instance, Made, Value

NUM_PROC = "num_proc"
_MODELS = ("Model", "ForCausalLM", "ForConditionalGeneration", "ForImageTextToText", "Pipeline")


@frozen()
class Mapped:
    """A call in `function` with `num_proc=given`; `literals` are the whole numbers that it may be."""

    function: str
    call: ast.Call
    given: ast.expr
    literals: tuple[Origin, ...]

    @property
    def method(self) -> str:
        """`map`, `filter`, `flatten_indices`, or `dict` where the keywords are gathered first."""
        func = self.call.func
        return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def mapped(project: Project) -> list[Mapped]:
    """All calls that map a dataset with a number of processes. Use through `project.get(mapped)`."""
    found = []
    for facts in project.mentioning(NUM_PROC):
        sites = [c for c in facts.body.calls if any(k.arg == NUM_PROC for k in c.keywords)]
        for call in map(node_of, filter(_may_map, sites)):
            for keyword in call.keywords:
                if keyword.arg == NUM_PROC and _maps(project, call, facts):
                    literals = tuple(_literals(project, keyword.value, facts))
                    found.append(Mapped(facts.id, call, keyword.value, literals))
    return found


def _may_map(site: Call) -> bool:
    """A look at the facts: a file without such a call is not read again."""
    if isinstance(site.func, Name):
        return site.func.id == "dict" and all(k.arg != "type" for k in site.keywords)
    return last_name(site) in DATASET_METHODS


def _maps(project: Project, call: ast.Call, facts: FunctionFacts) -> bool:
    if isinstance(call.func, ast.Name):  # keywords that are spread into `map`; with a type, a configuration
        return call.func.id == "dict" and all(k.arg != "type" for k in call.keywords)
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in DATASET_METHODS:
        return False
    return not any(isinstance(v, (Bound, FunctionRef)) for v in project.values(call.func, facts.id))


def _literals(project: Project, expr: ast.expr, facts: FunctionFacts) -> Iterator[Origin]:
    origins = Origins(project).of(expr, facts.id)
    default = default_of(facts, expr.id) if isinstance(expr, ast.Name) else None
    if default is not None:  # callers that spread their arguments may leave it alone
        origins.append(Origin(default, facts.id))
    for origin in dict.fromkeys(origins):
        value = getattr(origin.expr, "value", None)
        if isinstance(origin.expr, ast.Constant) and isinstance(value, int) and not isinstance(value, bool):
            yield origin


def takes_along(project: Project, found: Mapped) -> tuple[Place, str] | None:
    """Where the mapped function uses the GPU or a model, which a forked process cannot share, and what."""
    if not found.call.args:
        return None
    first = found.call.args[0]
    path = found.function.partition("::")[0]
    for node, function in code_of(project, first, found.function):
        what = _cuda(node) or _model(project, node, function)
        if what:
            return project.place(function.partition("::")[0] or path, node), what
    return None


def code_of(project: Project, expr: ast.expr, function: str) -> Iterator[tuple[ast.AST, str]]:
    """The nodes of a lambda, of a function of the tree, and of what `partial` adds."""
    if isinstance(expr, ast.Lambda):
        yield from ((node, function) for node in walk(expr.body))
        return
    if isinstance(expr, ast.Call):  # partial(f, model=model)
        for part in (*expr.args, *(k.value for k in expr.keywords)):
            yield from code_of(project, part, function)
        return
    yield expr, function
    for value in project.values(expr, function):
        if isinstance(value, FunctionRef):
            yield from ((n, value.function) for n in own_nodes(project.index.function(value.function).node))


def _cuda(node: ast.AST) -> str:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    texts = [getattr(v, "value", None) for v in (*node.args, *(k.value for k in node.keywords))]
    named = node.func.attr == "to" and any(str(t).startswith("cuda") for t in texts)
    return "the GPU" if named or (node.func.attr == "cuda" and not node.args) else ""


def _model(project: Project, node: ast.AST, function: str) -> str:
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return ""
    return (
        f"the model `{node.id}`" if any(_is_model(project, v) for v in project.values(node, function)) else ""
    )


def _is_model(project: Project, value: Value) -> bool:
    if isinstance(value, Instance):
        return project.is_module(value.cls)
    if not isinstance(value, Made) or not value.by.endswith(".from_pretrained"):
        return False
    return value.by.removesuffix(".from_pretrained").endswith(_MODELS) or ".AutoModel" in value.by
