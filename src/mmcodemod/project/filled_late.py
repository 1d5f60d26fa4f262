"""Batches that get a key which they lack after the loader has made them: in the training loop, or in a hook
of the Trainer, before the model sees them. Must-analysis: in all runs, under no other test."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Entry
from mmcodemod.model.finding import Note
from mmcodemod.project.emitting import defaults, lacking_there, owners
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project

_HOOKS = ("_prepare_inputs", "compute_loss", "training_step")  # of the Trainer: what it hands to the model


def filled_late(project: Project, key: str, entry: Entry | None) -> tuple[Note, ...]:
    """The lines that fill the key in; () where a run does without."""
    found = project.once(_fills, key)
    entries = [entry] if entry else project.entries
    everywhere = bool(found) and all(any(f in project.reach(e) for f in found) for e in entries)
    return tuple(found.values()) if everywhere and entries else ()


def _fills(project: Project, key: str) -> dict[str, Note]:
    found = {}
    for facts in project.mentioning(key):
        if facts.id in project.trained and not facts.is_module:
            for statement, holder in _filling(facts, key):
                if not flow_of(project, facts.id).tests(statement) and _goes_on(facts, statement, holder):
                    at = project.place(facts.path, statement)
                    found[facts.id] = Note(at, f"a batch without `{key}` gets it here")
    return found


def _filling(facts: FunctionFacts, key: str) -> Iterator[tuple[ast.stmt, str]]:
    """The statements after which something surely has the key, and what that is."""
    for node in own_nodes(facts.node):
        if isinstance(node, ast.If) and not node.orelse:
            stored = {holder for statement in node.body for holder in owners(statement, key)}
            yield from ((node, holder) for holder in sorted(stored & lacking_there(node.test, key)))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and defaults(node.value, key):
            assert isinstance(node.value.func, ast.Attribute)
            yield node, unparse(node.value.func.value)


def _goes_on(facts: FunctionFacts, filled: ast.stmt, holder: str) -> bool:
    """Does the model get it next: `model(**batch)`, `super().compute_loss(model, batch)`, or what the hook
    returns?"""
    later = [n for n in own_nodes(facts.node) if getattr(n, "lineno", 0) > (filled.end_lineno or 0)]
    if facts.name in _HOOKS[:1] and facts.owner:
        return any(isinstance(n, ast.Return) and n.value and unparse(n.value) == holder for n in later)
    return any(isinstance(n, ast.Call) and _hands(n, holder) for n in later)


def _hands(call: ast.Call, holder: str) -> bool:
    if any(k.arg is None and unparse(k.value) == holder for k in call.keywords):
        return True
    hook = isinstance(call.func, ast.Attribute) and call.func.attr in _HOOKS
    return hook and holder in map(unparse, (*call.args, *(k.value for k in call.keywords)))
