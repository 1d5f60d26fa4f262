"""Adapters of peft over frozen embeddings: does anything make the inputs of the layers require gradients,
without which reentrant checkpointing computes none? Must-analysis: Fatal only where nothing in sight does.

Source: peft `PeftModel.__init__`, which makes them so where the model checkpoints already; transformers
`gradient_checkpointing_enable`, which does so for `add_adapter` alone before transformers_gates.INPUTS_TRAIN.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.facts.terms import Call, Constant, last_name
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.pattern import regex
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project import checkpointing
from mmcodemod.project.arguments import given_at
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.flow import start_of
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.reach import Reached
from mmcodemod.project.settings import Settings
from mmcodemod.project.stubs import is_stub

MAKERS = ("peft.get_peft_model", "peft.mapping.get_peft_model", "peft.mapping_func.get_peft_model")
ENABLE, HOOK, FREE = "enable_input_require_grads", "register_forward_hook", "requires_grad_"
_PREPARE = (
    "prepare_model_for_kbit_training",
    "prepare_model_for_int8_training",
    "prepare_model_for_training",
)
_NAMES = (ENABLE, HOOK, FREE, *_PREPARE)
# Adapters in the layers; those that put trained vectors in front of the text are not among them.
_IN_LAYERS = regex(r"peft\.(\w+\.)*(Lora|AdaLora|LoHa|LoKr|OFT|BOFT|IA3|VeRA|FourierFT|HRA|Bone)Config")
_ANY = regex(r"peft\.(\w+\.)*\w+Config")
_EMBEDS = regex(r"embed|wte|word_?emb", re.IGNORECASE)
_OF_LINEAR = regex(r"linear", re.IGNORECASE)


@frozen()
class Adapter:
    """A call in `function` of training code that puts adapters into a model."""

    function: str
    call: ast.Call


def adapters(project: Project) -> list[Adapter]:
    """In source order. Use through `project.get(adapters)`."""
    found = {
        (frame.function, outside.site.lineno, outside.site.col_offset): outside
        for frame, calls in project.graph.external.items()
        for outside in calls
        if outside.name in MAKERS and not is_stub(frame.function)
    }
    return [Adapter(key[0], found[key].call) for key in sorted(found)]


def frozen_inputs(project: Project, context: Context, adapter: Adapter) -> Answer:
    """Do the inputs of the layers that an adapter is in require no gradients in a run?"""
    return min((*_by_config(project, context, adapter), *_by_code(project, context, adapter)), key=_rank)


def _rank(answer: Answer) -> int:
    return 0 if isinstance(answer, Excluded) else 2 if isinstance(answer, Fatal) else 1


def _by_config(project: Project, context: Context, adapter: Adapter) -> Iterator[Answer]:
    """What kind of adapter, and whether it trains the embeddings too."""
    yield Fatal()
    given = given_at(adapter.call, 1, "peft_config")
    for origin in Origins(project).of(given, adapter.function) if given is not None else ():
        yield from _of_config(project, context, origin)


def _of_config(project: Project, context: Context, origin: Origin) -> Iterator[Answer]:
    call = origin.expr
    names = project.names(call.func, origin.function) if isinstance(call, ast.Call) else set()
    at = project.place(origin.function.partition("::")[0], call)
    if not isinstance(call, ast.Call) or not any(_IN_LAYERS.fullmatch(n) for n in names):
        if any(_ANY.fullmatch(n) for n in names):
            yield Excluded(Note(at, "an adapter that puts trained vectors in front of the layers"))
        else:
            yield Unclear("the kind of adapter, which does not show", plausible=False)
        return
    for keyword in call.keywords:
        if keyword.arg in ("modules_to_save", "target_modules", "trainable_token_indices", None):
            yield _of_modules(project, context, origin, keyword)


def _of_modules(project: Project, context: Context, origin: Origin, keyword: ast.keyword) -> Answer:
    """May the modules that an argument names hold the embeddings?"""
    name = keyword.arg or "what the configuration is given"
    texts = [keyword.value, *(o.expr for o in Origins(project).of(keyword.value, origin.function))]
    at = project.place(origin.function.partition("::")[0], keyword.value)
    if any(_EMBEDS.search(unparse(t)) for t in texts) or name == "trainable_token_indices":
        return Excluded(Note(at, f"{name}: the embeddings are trained, too"))
    if all(_plain(t) for t in texts[1:]) or _OF_LINEAR.search(unparse(keyword.value)):
        return Fatal()
    settings = Settings(project, context if context.entry else None)
    values = [s.value for s in settings.of(keyword.value, origin.function)]
    if any(_EMBEDS.search(str(value)) for value in values):
        return Excluded(Note(at, f"{name}: the embeddings are trained, too"))
    if not values or UNKNOWN in values or any(not isinstance(v, str | list | tuple | None) for v in values):
        return Unclear(f"{name}, which may name the embeddings", plausible=False)
    return Fatal()


def _plain(node: ast.expr) -> bool:
    """A text, None, or a list of texts."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else [node]
    return all(isinstance(p, ast.Constant) for p in parts)


def _by_code(project: Project, context: Context, adapter: Adapter) -> Iterator[Answer]:
    """Calls and stores that make inputs, or what is before them, require gradients."""
    for facts, sites in project.get(_making):
        if not _may_run(project, context, facts.id):
            continue
        for site in sites:
            answer = _of_call(project, context, facts.id, node_of(site), last_name(site))
            yield from () if answer is None else (answer,)
        for store in project.resolver.body(facts.id).stores if _stores(facts) else ():
            value = store.value.expr
            off = isinstance(value, ast.Constant) and value.value is False
            if store.attr == "requires_grad" and not off:
                at = project.place(facts.path, value)
                yield Unclear(f"what is made to train at {at}", plausible=False)
    yield from _named(project, context)
    yield from _checkpoints_first(project, context, adapter)


def _named(project: Project, context: Context) -> Iterator[Answer]:
    """The method that is handed on or got by its name, and so called where no call of it shows."""
    for function, node in project.get(_namings):
        come = _may_run(project, context, function) and comes_by(project, context, function, node)
        if come and not isinstance(come, Excluded):
            at = project.place(function.partition("::")[0], node)
            yield Excluded(Note(at, f"`{ENABLE}`: the inputs of the layers require gradients"))


def _namings(project: Project) -> list[tuple[str, ast.expr]]:
    """`model.enable_input_require_grads` without a call, and its name in a text, in source order; not where
    something asks whether it is there. Use through `project.get`."""
    return [
        (facts.id, node)
        for facts in project.mentioning(ENABLE)
        if not is_stub(facts.id) and ENABLE.encode() in project.source(facts)
        for node in sorted(_unasked(list(own_nodes(facts.node))), key=start_of)
    ]


def _unasked(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    known = {id(call.func) for call in calls}
    known |= {id(a) for call in calls if unparse(call.func) == "hasattr" for a in call.args}
    for node in nodes:
        attribute = isinstance(node, ast.Attribute) and node.attr == ENABLE
        text = isinstance(node, ast.Constant) and node.value == ENABLE
        if id(node) not in known and (attribute or text):
            assert isinstance(node, ast.expr)
            yield node


def _making(project: Project) -> list[tuple[FunctionFacts, list[Call]]]:
    """The functions with such calls and stores, with the calls. Use through `project.get`."""
    said = (*_NAMES, "requires_grad")
    every = (facts for facts in project.mentioning(*said) if facts.may_say(said) and not is_stub(facts.id))
    calls = ((facts, list(filter(_may_free, facts.body.calls))) for facts in every)
    return [(facts, sites) for facts, sites in calls if sites or _stores(facts)]


def _stores(facts: FunctionFacts) -> bool:
    return any(store.attr == "requires_grad" for store in facts.body.stores)


def _may_free(site: Call) -> bool:
    """Is it one of these calls, and no `requires_grad_(False)`?"""
    name = last_name(site)
    if name not in _NAMES or name != FREE:
        return name in _NAMES
    given = site.args[:1] or [k.value for k in site.keywords if k.arg == "requires_grad"]
    return not any(isinstance(value, Constant) and value.value is False for value in given)


def _may_run(project: Project, context: Context, function: str) -> bool:
    """Also code of which the call graph does not know that nothing calls it."""
    reach = project.reach(context.entry) if context.entry else None
    return reach is None or function in reach or project.reached(function) is Reached.CANNOT_TELL


def _of_call(project: Project, context: Context, function: str, call: ast.Call, name: str) -> Answer | None:
    at = project.place(function.partition("::")[0], call)
    if isinstance(comes_by(project, context, function, call), Excluded):
        return None
    owner = unparse(call.func)
    if name in (HOOK, FREE) and not _EMBEDS.search(owner):
        return Unclear(f"what is made to train at {at}", plausible=False) if name == FREE else None
    given = given_at(call, 1, "use_gradient_checkpointing")
    if name in _PREPARE and isinstance(given, ast.Constant) and given.value is False:
        return None
    return Excluded(Note(at, f"`{name}`: the inputs of the layers require gradients"))


def _checkpoints_first(project: Project, context: Context, adapter: Adapter) -> Iterator[Answer]:
    """peft makes the inputs require gradients where it finds that the model checkpoints already."""
    written = [w for w in project.get(checkpointing.written) if w.taker is checkpointing.Taker.MODEL]
    enabling = [*project.get(checkpointing.enabling), *((w.function, w.call) for w in written if w.call)]
    for function, call in enabling:
        if not _may_run(project, context, function):
            continue
        at = project.place(function.partition("::")[0], call)
        if function != adapter.function:
            yield Unclear(f"whether {at} comes before the adapters are made", plausible=False)
        elif call.lineno < adapter.call.lineno:
            yield Excluded(Note(at, "the model checkpoints before peft gets it, which then prepares it"))
