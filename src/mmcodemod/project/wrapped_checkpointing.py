"""Language models of transformers whose layers torch's wrapper checkpoints, and whether code switches their
cache off. transformers switches the cache off by itself only where it checkpoints by itself.

Source: `torch.distributed.algorithms._checkpoint.checkpoint_wrapper`: `checkpoint_impl` is NO_REENTRANT where
nothing is given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import FunctionRef, Made, ordered

APPLY, KEY = "apply_activation_checkpointing", "use_cache"
_APPLY = regex(r"torch\.distributed\.(\w+\.)*apply_activation_checkpointing")
_LOADS = regex(r"transformers\.(?:\w+\.)*?(\w*ForCausalLM)(?:\.(?:_?from_config|from_pretrained))?")
_AUTO = "AutoModelForCausalLM"


@frozen()
class Wrapped:
    """`call` in `function` has the layers of a model checkpointed; `model` is its class, and `named` the
    model that is loaded, "" when neither shows which. `reentrant` as the code says; `picks`: whole layers,
    by what the code calls them."""

    function: str
    call: ast.Call
    loads: Origin
    model: str
    named: str
    reentrant: bool
    picks: bool


def wrapped(project: Project) -> list[Wrapped]:
    """Every such call of the tree, in source order. Use through `project.get(wrapped)`."""
    return [
        found
        for facts in project.mentioning(APPLY)
        if not is_stub(facts.id)
        for call in project.calls_of(facts.id, (APPLY,))
        if any(_APPLY.fullmatch(name) for name in project.names(call.func, facts.id))
        for found in _of(project, facts, call)
    ]


def _of(project: Project, facts: FunctionFacts, call: ast.Call) -> Iterator[Wrapped]:
    model = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "model"), None)
    if model is None:
        return
    makers = [v.by for v in ordered(project.values(model, facts.id)) if isinstance(v, Made)]
    classes = [m[1] for by in makers if (m := _LOADS.fullmatch(by))]
    loads = [o for o in Origins(project).of(model, facts.id) if _is_load(project, o)]
    if len(classes) == 1 and len(loads) == 1:
        own = "" if classes[0] == _AUTO else classes[0]
        named, reentrant = _given(loads[0].expr), _reentrant(project, facts)
        yield Wrapped(facts.id, call, loads[0], own, named, reentrant, _picks(project, facts, call))


def _picks(project: Project, facts: FunctionFacts, call: ast.Call) -> bool:
    """Does the function that chooses ask for a class called ...DecoderLayer?"""
    asks = next((k.value for k in call.keywords if k.arg == "check_fn"), None)
    origins = Origins(project).of(asks, facts.id) if asks is not None else []
    refs = [v.function for v in project.values(asks, facts.id) if isinstance(v, FunctionRef)] if asks else []
    nodes = [*(o.expr for o in origins), *(project.index.function(ref).node for ref in refs)]
    return any("DecoderLayer" in unparse(node) for node in nodes)


def _is_load(project: Project, origin: Origin) -> bool:
    if not isinstance(origin.expr, ast.Call):
        return False
    return any(_LOADS.fullmatch(name) for name in project.names(origin.expr.func, origin.function))


def _given(expr: ast.expr) -> str:
    """The text that a model is loaded by."""
    first = expr.args[0] if isinstance(expr, ast.Call) and expr.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _reentrant(project: Project, facts: FunctionFacts) -> bool:
    """Does the file ask for `CheckpointImpl.REENTRANT`?"""
    every = project.index.files[facts.path].functions.values()
    nodes = (n for f in every for n in own_nodes(f.node) if isinstance(n, ast.Attribute))
    return any(n.attr == "REENTRANT" for n in nodes)


def cache_off(project: Project, context: Context) -> Note | None:
    """A line of the run that gives `use_cache` anything but True."""
    reach = project.reach(context.entry) if context.entry else None
    for facts in project.mentioning(KEY):
        if is_stub(facts.id) or not (reach is None or facts.id in reach):
            continue
        for node in own_nodes(facts.node):
            value = _value(node)
            if value is not None and not (isinstance(value, ast.Constant) and value.value is True):
                return Note(project.place(facts.path, value), "the cache is switched off here")
    return None


def _value(node: ast.AST) -> ast.expr | None:
    """What a keyword, an assignment or a dictionary gives the key."""
    match node:
        case ast.keyword(arg=arg, value=value) if arg == KEY:
            return value
        case ast.Assign(targets=[ast.Attribute(attr=attr)], value=value) if attr == KEY:
            return value
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=key))], value=value) if key == KEY:
            return value
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=key), value]) if key == KEY:
            return value
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values)
            return next((v for k, v in pairs if isinstance(k, ast.Constant) and k.value == KEY), None)
    return None
