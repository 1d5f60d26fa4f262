"""What a collator fills the keys of a batch with: the samples of its own rank, or something that all ranks
share, as a setting. Must-analysis: a key that no producer of the tree is seen to fill is not known."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.batch_keys import keys_behind
from mmcodemod.project.emission import is_dataset, is_producer
from mmcodemod.project.local_data import DATA, LocalData
from mmcodemod.project.model import Project
from mmcodemod.project.signatures import bound_first


@frozen()
class Filled:
    """A place that fills a key; `shared` when it is with what all ranks share, `picked` when it is with
    those samples alone that meet a test."""

    at: Place
    shared: bool
    picked: bool = False


def filling(project: Project, function: str, test: ast.expr) -> list[Filled]:
    """What fills the keys that decide a test in a function; nothing where one of them does not show."""
    facts, bits = project.index.function(function), project.get(LocalData)
    frames = project.frames(function)[:1]
    read = dict.fromkeys(n.id for n in walk(test) if isinstance(n, ast.Name))
    names = [n for n in read if any(bits.atom(n, frame) & DATA for frame in frames)]
    found = [filled(project, facts, name) for name in names]
    return [place for places in found for place in places] if all(found) else []


def filled(project: Project, facts: FunctionFacts, name: str) -> list[Filled]:
    """What fills the batch keys that a name of a function comes from, in the order of files and lines."""
    places = [f for key in keys_behind(project, facts, name) for f in _of_key(project, key)]
    return sorted(dict.fromkeys(places), key=lambda f: f.at)


def _of_key(project: Project, key: str) -> Iterator[Filled]:
    for facts in project.mentioning(key):
        if is_producer(project, facts):
            for value in _values(facts, key):
                shared = not is_dataset(project, facts) and _shared(project, facts, value)
                yield Filled(project.place(facts.path, value), shared, _picked(value))


def _values(facts: FunctionFacts, key: str) -> Iterator[ast.expr]:
    """`x["key"] = value`, `{"key": value}`, `dict(key=value)`, `x.update(key=value)`."""
    for node in own_nodes(facts.node):
        if isinstance(node, ast.Assign):
            stored = (t.slice for t in node.targets if isinstance(t, ast.Subscript))
            yield from (node.value for k in stored if _is(k, key))
        elif isinstance(node, ast.Dict):
            yield from (v for k, v in zip(node.keys, node.values) if k is not None and _is(k, key))
        elif isinstance(node, ast.Call):
            word = getattr(node.func, "id", getattr(node.func, "attr", ""))
            yield from (k.value for k in node.keywords if k.arg == key and word in ("dict", "update"))


def _is(node: ast.expr, key: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key


def _picked(value: ast.expr) -> bool:
    """`[s["weight"] for s in samples if "weight" in s]`: as many as there are, or none."""
    return isinstance(value, ast.ListComp) and any(each.ifs for each in value.generators)


def _shared(project: Project, facts: FunctionFacts, value: ast.expr) -> bool:
    """A constant, an attribute of the collator itself, or what it is given beside the samples."""
    if isinstance(value, ast.Attribute):
        return isinstance(value.value, ast.Name) and value.value.id == "self"
    if isinstance(value, ast.Name):
        samples = list(facts.parameters.positional)[bound_first(facts) :][:1]
        rebound = value.id in project.resolver.body(facts.id).names
        return value.id in facts.parameters.names and value.id not in samples and not rebound
    return isinstance(value, ast.Constant)
