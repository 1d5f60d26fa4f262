"""Runs that stop at their first step: the loss reads a chosen and a rejected answer, and the batch holds one.
Must-analysis: every collator of the tree that the run reaches shows all its keys, and nothing asks whether
the batch has a second answer.

Source: trl/trainer/dpo_trainer.py, which reads "chosen_labels" of a batch in 0.7.11, "chosen_input_ids" in
0.12.2, and "completion_mask", with both answers in one tensor, in 0.29.0.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.pattern import regex
from mmcodemod.project.collate import is_collator
from mmcodemod.project.model import Project
from mmcodemod.project.reach import Reach
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.values import ClassRef

_LIBRARY = f"{MODELS}/trl.py::DPOTrainer.compute_loss"
_TRAINER = f"{MODELS}/transformers.py::Trainer"
_PAIR = regex(r"(chosen|rejected)\w*|completion_mask")
_WORDS = ("chosen", "rejected")


def unpaired(project: Project, context: Context) -> Note | None:
    """Where the batch is made that has no second answer, when the loss of the run needs one."""
    if context.entry is None:
        return None
    reach = project.reach(context.entry)
    if not _compares(project, reach) or any(f in reach for f in project.get(_asking)):
        return None
    collators = [f for f in project.mentioning("collat", "Collat") if f.id in reach and is_collator(f)]
    made = [(f, _keys(project, f)) for f in collators]
    if not made or any(keys is None or any(map(_PAIR.match, keys)) for _, keys in made):
        return None
    facts, keys = made[0]
    text = "the run stops at its first step: its loss compares two answers, and the batch holds only"
    return Note(project.place(facts.path, facts.node), f"{text} {', '.join(sorted(keys or ()))}")


def _compares(project: Project, reach: Reach) -> bool:
    """Does a trainer of the run read the keys of two answers: trl's, or one of the tree?"""
    return _LIBRARY in reach or any(f in reach for f in project.get(_reading))


def _reading(project: Project) -> list[str]:
    """Methods of trainers of the tree that read `batch["chosen_..."]`."""
    return [
        facts.id
        for facts in project.mentioning(*_WORDS)
        if facts.owner and _is_trainer(project, f"{facts.path}::{facts.owner}")
        if any(_reads(node) for node in own_nodes(facts.node))
    ]


def _is_trainer(project: Project, cls: str) -> bool:
    return any(isinstance(b, ClassRef) and b.cls == _TRAINER for b in project.resolver.classes.mro(cls))


def _reads(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_pair(node.slice)


def _is_pair(key: ast.AST) -> bool:
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and bool(_PAIR.match(key.value))


def _asking(project: Project) -> list[str]:
    """Functions that ask whether a batch has them: `"chosen_labels" in batch`, `batch.get("chosen_ids")`."""
    return [
        facts.id
        for facts in project.mentioning(*_WORDS)
        if any(_asks(node) for node in own_nodes(facts.node))
    ]


def _asks(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        return node.func.attr == "get" and _is_pair(node.args[0])
    tests = isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn))
    return tests and isinstance(node, ast.Compare) and _is_pair(node.left)


def _keys(project: Project, facts: FunctionFacts) -> set[str] | None:
    """All keys of what a function returns, None where they do not show."""
    found: set[str] = set()
    returned = project.resolver.body(facts.id).returns
    for expr in returned:
        keys = _named(project, facts, expr) if isinstance(expr, ast.Name) else _literal(expr)
        if keys is None:
            return None
        found |= keys
    return found if returned else None


def _named(project: Project, facts: FunctionFacts, name: ast.Name) -> set[str] | None:
    """The keys of a dictionary that a name holds, and that nothing but `name["key"] = ...` changes."""
    sources = project.resolver.body(facts.id).names.get(name.id, ())
    parts = [_literal(s.expr) if s.via is Via.VALUE and s.index < 0 else None for s in sources]
    parts += list(_put(facts, name.id))
    return None if not sources or None in parts else {key for keys in parts for key in keys or ()}


def _put(facts: FunctionFacts, name: str) -> Iterator[set[str] | None]:
    """The key of each `name["key"]`; None for another use of the name than to return it."""
    plain = {id(n.value) for n in own_nodes(facts.node) if isinstance(n, ast.Return)}
    for node in own_nodes(facts.node):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name:
            plain.add(id(node.value))
            yield {str(node.slice.value)} if isinstance(node.slice, ast.Constant) else None
    for node in own_nodes(facts.node):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            if id(node) not in plain:
                yield None


def _literal(expr: ast.expr) -> set[str] | None:
    """The keys of `{"a": ...}` and `dict(a=...)`."""
    if isinstance(expr, ast.Dict):
        keys = {k.value for k in expr.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)}
        return keys if len(keys) == len(expr.keys) else None
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Name) and expr.func.id == "dict":
        names = {k.arg for k in expr.keywords if k.arg}
        return names if len(names) == len(expr.keywords) and not expr.args else None
    return None
