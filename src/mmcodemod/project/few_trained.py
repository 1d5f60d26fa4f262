"""Runs that train few parameters: adapters, the projector of a multimodal model, what the code picks by name,
or what it leaves beside a frozen language model. Must-analysis: an option or a line of the run says so."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.pattern import regex
from mmcodemod.model.verdict import Fatal
from mmcodemod.project.adapters import lora
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.flow import flow_of
from mmcodemod.project.frozen import adapts, frozen_in, holds_layers
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

# `--tune_mm_mlp_adapter True`: the options of projects for training a projector alone
_PROJECTOR = regex(r"tune_\w*(adapter|projector)")
_LANGUAGE = regex(r"freeze_(llm|lm|language_model)")  # not `freeze_backbone`: often that of the tower
_BESIDE = "what trains beside the frozen language model"
ADAPTERS = "LoRA adapters"


def few_trained(project: Project, context: Context) -> Note | None:
    """The line that says that a run trains few parameters, and which."""
    option = lora(context)
    at = option.at if option is not None else adapts(project, context)
    if at is not None:
        return Note(at, ADAPTERS)
    return (
        _asked(context, _PROJECTOR, "the projector")
        or _asked(context, _LANGUAGE, _BESIDE)
        or _picked(project, context)
        or _beside(project, context)
    )


def _asked(context: Context, name: re.Pattern[str], what: str) -> Note | None:
    """The option of such a name that is true."""
    for option, given in sorted(context.options.items()):
        if name.fullmatch(option) and given.value is True and given.at is not None:
            return Note(given.at, what)
    return None


def _picked(project: Project, context: Context) -> Note | None:
    """Where a run switches gradients on for parameters with a certain name, and off for all others."""
    reach = project.reach(context.entry) if context.entry else ()
    for facts, test in project.get(_picks):
        loop = _loop(project, facts, test)
        if facts.id in reach and isinstance(comes_by(project, context, facts.id, loop), Fatal):
            return Note(project.place(facts.path, test), f"what `{unparse(test.test)}` picks")
    return None


def _picks(project: Project) -> list[tuple[FunctionFacts, ast.If]]:
    """`if "word" in name: p.requires_grad_(True)`, and `else: p.requires_grad_(False)`, in loops over the
    parameters of a model. Use through `project.get(_picks)`."""
    return [
        (facts, test)
        for facts in project.mentioning("requires_grad", "requires_grad_")
        if facts.id in project.trained and not is_stub(facts.id)
        for test in own_nodes(facts.node)
        if isinstance(test, ast.If) and _names_a_part(test.test)
        if set(_switched(test.body)) == {True} and set(_switched(test.orelse)) == {False}
        if isinstance(_loop(project, facts, test), ast.For)
    ]


def _names_a_part(test: ast.expr) -> bool:
    """`"word" in name`"""
    match test:
        case ast.Compare(ast.Constant(str()), [ast.In()], [ast.Name()]):
            return True
    return False


def _switched(body: list[ast.stmt]) -> Iterator[bool]:
    """What a block sets `requires_grad` to."""
    for node in (n for statement in body for n in walk(statement)):
        match node:
            case ast.Call(ast.Attribute(attr="requires_grad_"), [ast.Constant(bool(value))]):
                yield value
            case ast.Assign([ast.Attribute(attr="requires_grad")], ast.Constant(bool(value))):
                yield value


def _loop(project: Project, facts: FunctionFacts, test: ast.If) -> ast.AST:
    """The loop over `named_parameters()` around a test; the test itself where there is none."""
    for loop in flow_of(project, facts.id).loops(test):
        each = loop.iter if isinstance(loop, ast.For) else None
        if isinstance(each, ast.Call) and unparse(each.func).endswith(".named_parameters"):
            return loop
    return test


def _beside(project: Project, context: Context) -> Note | None:
    """Where a run freezes the layers of its language model, and no loop picks some of them to train again."""
    answer = frozen_in(project, context) if context.entry else None
    if not isinstance(answer, Fatal) or answer.why is None or context.entry is None:
        return None
    reach = project.reach(context.entry)
    again = any(facts.id in reach for facts in project.get(_thawing))
    return None if again else Note(answer.why.at, _BESIDE)


def _thawing(project: Project) -> list[FunctionFacts]:
    """Functions with a loop over the parameters of a model that switches gradients on. Use through
    `project.get(_thawing)`."""
    return [
        facts
        for facts in project.mentioning("requires_grad", "requires_grad_")
        if facts.id in project.trained and not is_stub(facts.id)
        if any(_thaws(node) for node in own_nodes(facts.node))
    ]


def _thaws(node: ast.AST) -> bool:
    each = node.iter if isinstance(node, ast.For) else None
    method = each.func if isinstance(each, ast.Call) else None
    if not isinstance(node, ast.For) or not isinstance(method, ast.Attribute):
        return False
    every = method.attr in ("parameters", "named_parameters") and holds_layers(method.value)
    return every and True in _switched(node.body)
