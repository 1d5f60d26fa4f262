"""Loads of Hugging Face models that are told where to put the weights: `device_map`, `low_cpu_mem_usage`, as
a keyword or in a dictionary that is spread."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.frozen import frozen
from mmcodemod.project.hf_loads import HfLoad, hf_loads
from mmcodemod.project.keys_taken_out import key_taken_out
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

MAP, LOW = "device_map", "low_cpu_mem_usage"


@frozen()
class Placed:
    """One of the two, with its value; `spread`: it comes in a dictionary, and `gone` are the places that take
    it out of there again before the load."""

    name: str
    value: ast.expr
    spread: bool = False
    gone: tuple[ast.AST, ...] = ()


@frozen()
class PlacedLoad:
    """`load` in `function`, with what it is told."""

    function: str
    load: HfLoad
    told: tuple[Placed, ...]


def placed_loads(project: Project) -> list[PlacedLoad]:
    """All of training code, in source order. Use through `project.get(placed_loads)`."""
    return [
        PlacedLoad(facts.id, load, told)
        for facts in project.mentioning(MAP, LOW)
        if facts.id in project.trained and not is_stub(facts.id) and _mentions(project.source(facts))
        for load in hf_loads(project, facts.id)
        if not load.weightless and load.call.func.attr == "from_pretrained"  # type: ignore[attr-defined]
        if (told := tuple(_told(facts, load.call)))
    ]


def _mentions(source: bytes) -> bool:
    return MAP.encode() in source or LOW.encode() in source


def _told(facts: FunctionFacts, call: ast.Call) -> Iterator[Placed]:
    for keyword in call.keywords:
        if keyword.arg in (MAP, LOW):
            yield Placed(keyword.arg, keyword.value)
        elif keyword.arg is None and isinstance(keyword.value, ast.Name):
            held = keyword.value.id
            for key, value in _held(facts, held):
                yield Placed(key, value, True, tuple(key_taken_out(facts, held, key, value, call)))


def _held(facts: FunctionFacts, name: str) -> Iterator[tuple[str, ast.expr]]:
    """What the function itself puts into a dictionary of this name."""
    for node in own_nodes(facts.node):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (item for t in targets for item in _assigned(t, node.value, name))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "update" and getattr(node.func.value, "id", "") == name:
                yield from (item for value in (node, *node.args) for item in _items(value))


def _assigned(target: ast.expr, value: ast.expr, name: str) -> Iterator[tuple[str, ast.expr]]:
    """`name = {...}`, `name["device_map"] = value`"""
    if isinstance(target, ast.Name) and target.id == name:
        yield from _items(value)
    elif isinstance(target, ast.Subscript) and getattr(target.value, "id", "") == name:
        key = getattr(target.slice, "value", None)
        if key in (MAP, LOW):
            yield str(key), value


def _items(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The two keys of a display or of a call's keywords."""
    if isinstance(node, ast.Dict):
        pairs = ((getattr(k, "value", None), v) for k, v in zip(node.keys, node.values))
        yield from ((str(k), v) for k, v in pairs if k in (MAP, LOW))
    elif isinstance(node, ast.Call):
        yield from ((k.arg, k.value) for k in node.keywords if k.arg in (MAP, LOW))
