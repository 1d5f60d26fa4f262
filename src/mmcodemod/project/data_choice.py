"""Calls that a run never makes because a flag of its launch chooses the class of its dataset: the test around
the call asks for a batch key that only the samples of another class have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.project.arguments import argument
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.emission import emissions_of, is_dataset
from mmcodemod.project.emitting import Emits
from mmcodemod.project.flow import flow_of, holds
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import ClassRef


def bypassed_by(project: Project, context: Context, function: str) -> Note | None:
    """The flag because of which a run makes none of the calls that lead to `function`; None when it may
    make one, or when no flag decides it."""
    if context.entry is None:
        return None
    reach = project.reach(context.entry)
    calls = [e for e in project.callers(function) if e.caller.function in reach]
    notes = [_closed(project, context, edge) for edge in calls]
    return notes[0] if notes and None not in notes else None


def _closed(project: Project, context: Context, edge: Edge) -> Note | None:
    """The flag that decides a test around a call against it."""
    if edge.site is None or is_stub(edge.caller.function):
        return None
    caller = project.index.function(edge.caller.function)
    for asked, outcome in flow_of(project, caller.id).tests(edge.call):
        key, absent = _asks_none(asked.test)
        if key and _is_batch_key(project, caller, key):
            given = _given(project, context, key)
            if given is not None and (given[0] is not absent) is not outcome:
                text = f"{given[1].note}, so `{unparse(asked.test)}` leads past it"
                return Note(given[1].at, text)
    return None


def _asks_none(test: ast.expr) -> tuple[str, bool]:
    """("mask", True) for `mask is None`, ("mask", False) for `mask is not None`, ("", False) for others."""
    match test:
        case ast.Compare(ast.Name(name), [ast.Is()], [ast.Constant(None)]):
            return name, True
        case ast.Compare(ast.Name(name), [ast.IsNot()], [ast.Constant(None)]):
            return name, False
    return "", False


def _is_batch_key(project: Project, facts: FunctionFacts, name: str) -> bool:
    """Is it a parameter that the Trainer fills from the batch, and nothing in the tree does?"""
    if name not in facts.parameters.names or name in project.resolver.body(facts.id).names:
        return False
    calls = [e for e in project.callers(facts.id) if e.site is not None and not is_stub(e.caller.function)]
    return all(argument(e.call, facts, name) is None for e in calls)


def _given(project: Project, context: Context, key: str) -> tuple[bool, Note] | None:
    """Do all samples of a run have `key` (True), or none (False)? With the flag that decides it."""
    holders = _holders(project, key)
    choices = list(_choices(project, holders)) if holders else []
    if len(choices) != 1:
        return None  # nothing chooses, or the class is also named elsewhere: in a second dataset
    facts, choice = choices[0]
    if choice is None:
        return None
    arms = [_classes(project, facts, arm) for arm in (choice.body, choice.orelse)]
    if not all(arms) or [bool(arm & holders) for arm in arms] not in ([True, False], [False, True]):
        return None
    settings = Settings(project, context)
    truths = settings.truths(choice.test, facts.id)
    read = sorted(settings.read_by(choice.test, facts.id), key=str)
    told = [Note(s.at, s.told) for s in read if s.flag and s.at]
    if len(truths) != 1 or not told:
        return None
    has = bool((arms[0] if True in truths else arms[1]) & holders)
    return has, Note(told[0].at, f"{told[0].note}: {'every' if has else 'no'} sample has `{key}`")


def _holders(project: Project, key: str) -> set[str]:
    """The classes of datasets that always set `key`; none when something else decides about it, too."""
    producers = [e for e in emissions_of(project, key) if e.emits is not Emits.NEVER]
    datasets = [e for e in producers if is_dataset(project, e.function)]
    passing = all(e.emits is Emits.CONDITIONAL and e.needs == {key} for e in producers if e not in datasets)
    always = all(e.emits is Emits.ALWAYS and e.function.owner for e in datasets)
    return {f"{e.function.path}::{e.function.owner}" for e in datasets} if passing and always else set()


def _choices(project: Project, holders: set[str]) -> Iterator[tuple[FunctionFacts, ast.IfExp | None]]:
    """Where code that training runs names one of these classes, each with the conditional expression around
    it, None where there is none."""
    words = sorted({c.rpartition("::")[2].rpartition(".")[2] for c in holders})
    for facts in project.mentioning(*words):
        if facts.id in project.trained:
            nodes, variables = list(own_nodes(facts.node)), project.resolver.body(facts.id).names
            choices = [n for n in nodes if isinstance(n, ast.IfExp)]
            for node in nodes:
                if isinstance(node, ast.Name) and node.id not in variables:
                    if _classes(project, facts, node) & holders:
                        yield facts, next((c for c in choices if holds(c, node)), None)


def _classes(project: Project, facts: FunctionFacts, node: ast.AST) -> set[str]:
    """The classes of the tree that an expression names, with their bases in the tree."""
    names = [n for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    named = {v.cls for n in names for v in project.values(n, facts.id) if isinstance(v, ClassRef)}
    return {base.id for cls in named for base in project.bases(cls)}
