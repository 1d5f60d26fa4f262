"""Does a file that is loaded with `strict=False` hold some parameters alone: does the tree save one of that
name with those only that it picks, or that were trained? May-analysis, by the name of the file."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.arguments import given_at
from mmcodemod.project.behind import behind
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound, FunctionRef

_WEIGHTS = (".bin", ".pt", ".pth", ".ckpt", ".safetensors")
_SAVES = ("save", "save_file")


@frozen()
class PartSaved:
    """The name of the file, and where the tree saves it."""

    name: str
    at: Place


def part_saved(project: Project, function: str, load: ast.Call) -> PartSaved | None:
    """The part of a model that `x.load_state_dict(part, strict=False)` may be given, as the tree saves it."""
    if not load.args or not takes_parts(load):
        return None
    names = _names(behind(project, function, load.args[0]))
    return next((found for name in sorted(names) for found in _saved(project, name)), None)


def takes_parts(load: ast.Call) -> bool:
    """`x.load_state_dict(part, strict=False)`"""
    strict = given_at(load, 1, "strict")
    return isinstance(strict, ast.Constant) and strict.value is False


def _names(exprs: list[ast.expr]) -> set[str]:
    """The names of files of weights among the constants."""
    constants = (n.value for e in exprs for n in walk(e) if isinstance(n, ast.Constant))
    texts = (value.rpartition("/")[2] for value in constants if isinstance(value, str))
    return {text for text in texts if text.endswith(_WEIGHTS)}


def _saved(project: Project, name: str) -> Iterator[PartSaved]:
    for facts in project.mentioning(name):
        for node in own_nodes(facts.node):
            if isinstance(node, ast.Call) and _saves(node) and name in _names(node.args[1:]):
                if _picks(project, facts, node.args[0]):
                    yield PartSaved(name, project.place(facts.path, node))


def _saves(call: ast.Call) -> bool:
    word = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return word in _SAVES and len(call.args) > 1


def _picks(project: Project, facts: FunctionFacts, saved: ast.expr) -> bool:
    """Is a dictionary made of some of the parameters alone, here or by a function of the tree?"""
    made_of = behind(project, facts.id, saved)
    if any(_chosen(n) for e in made_of for n in walk(e)):
        return True
    calls = (n for e in made_of for n in walk(e) if isinstance(n, ast.Call))
    values = (v for call in calls for v in project.values(call.func, facts.id))
    made = {v.function for v in values if isinstance(v, (FunctionRef, Bound)) and not is_stub(v.function)}
    nodes = (n for function in sorted(made) for n in own_nodes(project.index.function(function).node))
    return any(_chosen(n) for n in nodes)


def _chosen(node: ast.AST) -> bool:
    """`{name: p for name, p in named if p.requires_grad}`, not those that only leave something out"""
    tests = [test for each in node.generators for test in each.ifs] if isinstance(node, ast.DictComp) else []
    return any(not _leaves_out(test) for test in tests)


def _leaves_out(test: ast.expr) -> bool:
    """`"ema" not in name`, `not name.startswith("head")`"""
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], (ast.NotIn, ast.NotEq, ast.IsNot))
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
