"""Encoders that code freezes and whose inputs it makes require gradients all the same: where it does, where
they run, and what of them trains after all. May-analysis on the methods of one class, or on one function.

Source: torch.autograd (an operation is recorded when an input or a parameter requires a gradient),
transformers `PreTrainedModel.enable_input_require_grads` (a hook on the output of the input embeddings).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import field

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.facts.terms import last_name
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.flow import flow_of, start_of
from mmcodemod.project.modality import MODALITY
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import is_text
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import FunctionRef

_EACH = ("parameters", "named_parameters", "modules")
ENABLE, HOOK = "enable_input_require_grads", "register_forward_hook"
_ENCODER = regex(r"(^|_)(encoder|tower|vit|clip|siglip|dino\w*)(_|$)")
_TRAINS = regex(r"peft|lora|adapter|prompt|inject|tune|thaw|mark_only")
_WRAPS = ("DistributedDataParallel", "DDP", "FullyShardedDataParallel", "FSDP", "compile", "fully_shard")
_RUNS = regex(r"forward(_features)?|get_(image|video|audio|text)_features|encode(_image|_video|_audio)?")


@frozen()
class Spot:
    """A node of a function, by id."""

    function: str
    node: ast.AST


@frozen()
class Encoder:
    """`text` is how the code names it; `cls` the class whose attribute it is, by id, "" for a local name.
    `hooks` make its inputs require gradients, `trains` may make something of it trainable again."""

    text: str
    cls: str
    freezes: list[Spot] = field(default_factory=list)
    hooks: list[Spot] = field(default_factory=list)
    runs: list[Spot] = field(default_factory=list)
    trains: list[Spot] = field(default_factory=list)


def frozen_encoders(project: Project) -> list[Encoder]:
    """Those with a freeze and a hook, in source order. Use through `project.get(frozen_encoders)`."""
    found: dict[tuple[str, str], Encoder] = {}
    for facts in project.mentioning(ENABLE, HOOK):
        if is_stub(facts.id) or not any(last_name(c) in (ENABLE, HOOK) for c in facts.body.calls):
            continue
        for call in project.calls_of(facts.id, (ENABLE, HOOK)):
            text = _hooked(project, facts, call)
            cls = f"{facts.path}::{facts.owner}" if text.startswith("self.") and facts.owner else ""
            if is_encoder(text) and (cls or facts.id, text) not in found:
                found[cls or facts.id, text] = _gathered(project, facts, Encoder(text, cls))
    return [encoder for encoder in found.values() if encoder.freezes and encoder.hooks]


def is_encoder(text: str) -> bool:
    """Is it named for an encoder, not for a language model, whose inputs may come from what trains?"""
    name = text.rpartition(".")[2]
    return not is_text(name) and bool(_ENCODER.search(name) or MODALITY.search(name))


def _hooked(project: Project, facts: FunctionFacts, call: ast.Call) -> str:
    """The module whose inputs the call makes require gradients, "" when it does not."""
    if not isinstance(call.func, ast.Attribute):
        return ""
    owner = call.func.value
    if call.func.attr == ENABLE:
        return _plain(owner)
    if not (isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute) and call.args):
        return ""
    embeds = owner.func.attr == "get_input_embeddings"
    return _plain(owner.func.value) if embeds and _makes_require(project, facts, call.args[0]) else ""


def _plain(expr: ast.expr) -> str:
    text = unparse(expr)
    return text if re.fullmatch(r"\w+(\.\w+)*", text) else ""


def _makes_require(project: Project, facts: FunctionFacts, hook: ast.expr) -> bool:
    if isinstance(hook, ast.Lambda):
        return "requires_grad_(True)" in unparse(hook)
    refs = [v.function for v in project.values(hook, facts.id) if isinstance(v, FunctionRef)]
    return any("requires_grad_(True)" in unparse(project.index.function(r).node) for r in refs)


def _gathered(project: Project, facts: FunctionFacts, encoder: Encoder) -> Encoder:
    """With all that the methods of the class (or the one function) do with it."""
    for function in scope(project, facts, encoder):
        nodes = [n for n in own_nodes(function.node) if isinstance(n, (ast.Call, ast.Assign))]
        for node in sorted(nodes, key=start_of):
            _sort(project, function, encoder, node)
    calls = [s for s in encoder.hooks if last_name_of(s.node) == ENABLE]
    if calls:  # the hook beside it is for models that have no such method
        encoder.hooks[:] = calls
    return encoder


def last_name_of(node: ast.AST) -> str:
    """The attribute that a call asks for."""
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def scope(project: Project, facts: FunctionFacts, encoder: Encoder) -> list[FunctionFacts]:
    """The functions that see the encoder under this name."""
    if not encoder.cls:
        return [facts]
    every = project.index.files[facts.path].functions.values()
    return [f for f in every if f.owner == facts.owner]


def _sort(project: Project, facts: FunctionFacts, encoder: Encoder, node: ast.AST) -> None:
    spot = Spot(facts.id, node)
    if isinstance(node, ast.Call):
        if _hooked(project, facts, node) == encoder.text:
            encoder.hooks.append(spot)
        elif _is_run(node, encoder.text):
            encoder.runs.append(spot)
    about, value = _gradients(project, facts, node)
    if about is not None:
        off = isinstance(value, ast.Constant) and value.value is False
        if off and about == encoder.text and not _picks(project, facts, node):
            encoder.freezes.append(spot)
        elif not off and _touches(about, encoder.text):
            encoder.trains.append(_whole(project, facts, spot))
    elif _may_train(node, encoder.text):
        encoder.trains.append(spot)


def _is_run(call: ast.Call, text: str) -> bool:
    func = call.func
    if isinstance(func, ast.Attribute) and _RUNS.fullmatch(func.attr):
        func = func.value
    return unparse(func) == text


def _gradients(project: Project, facts: FunctionFacts, node: ast.AST) -> tuple[str | None, ast.expr | None]:
    """(what, value) of `what.requires_grad_(value)` and `what.requires_grad = value`, also on each of its
    parameters."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="requires_grad_")):
            given = [*node.args, *(k.value for k in node.keywords)]
            value: ast.expr = given[0] if given else ast.Constant(True)
        case ast.Assign(targets=[ast.Attribute(value=owner, attr="requires_grad")], value=value):
            pass
        case _:
            return None, None
    return _owner(project, facts, owner, node), value


def _owner(project: Project, facts: FunctionFacts, owner: ast.expr, node: ast.AST) -> str:
    """`model` for the `p` of `for p in model.parameters()`, else the text of the owner."""
    for loop in flow_of(project, facts.id).loops(node) if isinstance(owner, ast.Name) else ():
        each = getattr(loop, "iter", None)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in _EACH:
            return unparse(each.func.value)
    return unparse(owner)


def _picks(project: Project, facts: FunctionFacts, node: ast.AST) -> bool:
    """Does a test inside the loop over parameters pick some of them?"""
    flow = flow_of(project, facts.id)
    loop = flow.loop_of(node)
    outer = [test for test, _ in flow.tests(loop)] if loop is not None else []
    return loop is not None and any(test not in outer for test, _ in flow.tests(node))


def _whole(project: Project, facts: FunctionFacts, spot: Spot) -> Spot:
    """The loop, where tests in it pick parameters by what they are, not by a setting: such parts train."""
    flow = flow_of(project, facts.id)
    loop = flow.loop_of(spot.node)
    if not isinstance(loop, ast.For) or not _picks(project, facts, spot.node):
        return spot
    of = {n.id for n in own_nodes(loop.target) if isinstance(n, ast.Name)}
    outer = [test for test, _ in flow.tests(loop)]
    inner = [test for test, _ in flow.tests(spot.node) if test not in outer]
    picked = all(of & {n.id for n in walk(t.test) if isinstance(n, ast.Name)} for t in inner)
    return Spot(spot.function, loop) if picked else spot


def _touches(about: str, text: str) -> bool:
    """Is one a part of the other, or the same?"""
    return about == text or about.startswith(f"{text}.") or text.startswith(f"{about}.")


def _may_train(node: ast.AST, text: str) -> bool:
    """An adapter or a prompt: what is wrapped round it, put into it, or what it is given to."""
    if isinstance(node, ast.Call):
        called = last_name_of(node) or unparse(node.func)
        of = [*_given(node), *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        return bool(_TRAINS.search(called)) and any(unparse(a) == text for a in of)
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    called = unparse(node.value.func).rpartition(".")[2]
    for target in map(unparse, node.targets):
        if target == text and called not in _WRAPS:
            return any(unparse(a) == text for a in _given(node.value))
        if target.startswith(f"{text}.") and called != "Identity":
            return True
    return False


def _given(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (k.value for k in call.keywords)
