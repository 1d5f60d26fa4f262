"""Which modules hold partitioned (size-0) parameters under ZeRO-3. May-analysis: transformers runs
`from_pretrained` inside `deepspeed.zero.Init`, so what its models' `__init__` build is partitioned
(transformers `modeling_utils.py`, `is_deepspeed_zero3_enabled`)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse
from mmcodemod.knowledge.modules import is_weightless, makes_module
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.values import ClassRef, Instance, Made, Value, ordered

LOADERS = ("from_pretrained",)
MAX_DEPTH = 5


@frozen()
class Partitioned:
    """A module that holds partitioned parameters: `by` is the line that partitions them, `certain` when
    no other construction of the same module is seen, `handed` where its class is given it ready-made."""

    by: Place
    name: str
    certain: bool = True
    handed: bool = False


def partitioned(project: Project, receiver: ast.expr, frame: Frame) -> Partitioned | None:
    """Does `receiver` hold parameters that a transformers factory partitioned?"""
    found = [p for v in ordered(_values(project, receiver, frame)) if (p := _value(project, v, 0))]
    if not found:
        return _of_tree(project, receiver, frame.function)
    mixed = len(found) < len(_values(project, receiver, frame)) or any(not p.certain for p in found)
    return Partitioned(found[0].by, found[0].name, not mixed, all(p.handed for p in found))


def is_loaded(project: Project, model: ast.expr, function: str) -> bool:
    """Has `from_pretrained` of transformers made all that a model may be?"""
    values = project.values(model, function)
    if values and all(isinstance(v, Made) and is_hf_load(v.by) for v in values):
        return True
    found = _of_tree(project, model, function)
    return found is not None and found.certain


def _of_tree(project: Project, receiver: ast.expr, function: str) -> Partitioned | None:
    """A model of a class of the tree that `from_pretrained` of transformers builds."""
    if not isinstance(receiver, (ast.Name, ast.Attribute)):
        return None
    ends = Origins(project).of(receiver, function)
    loaded = [o for o in ends if _loads_own(project, o)]
    if not loaded:
        return None
    first = loaded[0]
    by = project.place(first.function.partition("::")[0], first.expr)
    return Partitioned(by, unparse(first.expr.func), len(loaded) == len(ends))  # type: ignore[attr-defined]


def _loads_own(project: Project, origin: Origin) -> bool:
    """Is it `X.from_pretrained(...)` of a class of the tree that extends a model of transformers, and has no
    `from_pretrained` of its own?"""
    func = origin.expr.func if isinstance(origin.expr, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr not in LOADERS:
        return False
    classes = project.resolver.classes
    values = project.values(func.value, origin.function)
    own = [v.cls for v in values if isinstance(v, ClassRef) and not classes.find(v.cls, func.attr)]
    bases = (any(is_hf_load(f"{b}.{func.attr}") for b in classes.external_bases(cls)) for cls in own)
    return bool(own) and len(own) == len(values) and all(bases)


def _values(project: Project, receiver: ast.expr, frame: Frame) -> frozenset[Value]:
    return project.resolver.infer(receiver, frame)


def _value(project: Project, value: Value, depth: int) -> Partitioned | None:
    """Is it a library model, or an object that holds one in an attribute that its class stores?"""
    if isinstance(value, Made) and is_hf_load(value.by):
        at = project.get(loads).get(value.by)
        return Partitioned(at, value.by) if at else None
    if isinstance(value, Instance) and project.is_module(value.cls) and depth < MAX_DEPTH:
        return _held(project, value.cls, depth)
    return None


def _held(project: Project, cls: str, depth: int) -> Partitioned | None:
    """A model that the methods of `cls` load and keep, sought once: many classes hold the same ones."""
    return project.once(_sought, cls, depth)


def _sought(project: Project, cls: str, depth: int) -> Partitioned | None:
    """A model that the methods of `cls` load and keep, rather than one that they are given: its parameters
    are among those of the object."""
    given = None
    for found in _parts(project, cls, depth):
        if not found.handed:
            return found
        given = given or found
    return given


def _parts(project: Project, cls: str, depth: int) -> Iterator[Partitioned]:
    resolver = project.resolver
    for facts in resolver.classes.own(cls):
        for name in sorted(resolver.stored(facts)):
            for function, source in resolver.stored(facts)[name]:
                found = _loaded_by(project, source.expr, Frame(function, cls), depth)
                if found is not None:
                    handed = found.handed or _is_parameter(project, source.expr, function)
                    yield Partitioned(found.by, name, found.certain, handed)


def _is_parameter(project: Project, expr: ast.expr, function: str) -> bool:
    return isinstance(expr, ast.Name) and expr.id in project.index.function(function).parameters.names


def _loaded_by(project: Project, expr: ast.expr, frame: Frame, depth: int) -> Partitioned | None:
    path = frame.function.partition("::")[0]
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and expr.func.attr in LOADERS:
        for value in project.resolver.infer(expr, frame):
            if isinstance(value, Made) and is_hf_load(value.by):
                return Partitioned(project.place(path, expr), value.by)
    for value in ordered(project.resolver.infer(expr, frame)):
        returned = isinstance(value, Made) and isinstance(expr, ast.Call)
        if returned or (isinstance(value, Instance) and project.is_module(value.cls)):
            found = _value(project, value, depth + 1)
            if found is not None:
                return found
    return None


def is_hf_load(name: str) -> bool:
    """Does this library callable load a transformers model (not a configuration or a processor)?"""
    owner, _, method = name.rpartition(".")
    if method not in LOADERS or not name.startswith(("transformers.", "AutoModel")):
        return False
    return makes_module(name) and not is_weightless(owner.rpartition(".")[2])


def loads(project: Project) -> dict[str, Place]:
    """The first line that makes each library model. Use through `project.get(loads)`."""
    found: dict[str, Place] = {}
    for frame in sorted(project.graph.external):
        for outside in project.graph.external[frame]:
            if is_hf_load(outside.name):
                path = frame.function.partition("::")[0]
                found.setdefault(outside.name, project.place(path, outside.site))
    return found
