"""Parameters that a run freezes where the backward pass comes through them: the layers of a language model,
and what an adapter of peft leaves as it is. A frozen tower in front of all that trains is not among them:
nothing comes back to it, so nothing of it is computed again. May-analysis by the names of the parts."""

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
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear, doubt
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.thawed import thawed

# The last name of what is frozen: a whole model, or the part that holds the layers of a language model.
_LAYERS = regex(r"(\w+_)?(llm|lm|language_model|backbone|base_model|model|decoder|text_model)")
# Words of parts that are not, stand in front of all that trains, or belong to a model that is not trained.
_OTHERS = regex(
    r"vis|vpm|image|img|clip|audio|apm|speech|tower|encoder|teacher|ref|reward|ema|vae|embed|head|norm|proj"
    r"|resampler|critic|former|discriminator|target"
)
_ADAPTERS = ("peft.get_peft_model", "peft.mapping.get_peft_model")


@frozen()
class Freeze:
    """`what` loses its gradients at `node` in `function`; `open`: a test on each parameter that decides;
    `part`: the expression that is frozen, "" for all but adapters."""

    function: str
    node: ast.AST
    at: Place
    what: str
    open: str = ""
    part: str = ""


def freezes(project: Project) -> list[Freeze]:
    """Every place of training code that freezes such layers. Use through `project.get(freezes)`."""
    return [
        freeze
        for facts in project.mentioning("requires_grad", "get_peft_model")
        if facts.id in project.trained and not is_stub(facts.id)
        for freeze in (*_called(project, facts), *_stored(project, facts))
    ]


def frozen_in(project: Project, context: Context, function: str = "", node: ast.AST | None = None) -> Answer:
    """Does a run that comes by `node` of `function` freeze layers that gradients pass through? Fatal with the
    line that does."""
    reach = project.reach(context.entry) if context.entry else None
    found = [f for f in project.get(freezes) if reach is None or f.function in reach]
    tests = dict(flow_of(project, function).tests(node)) if node else {}
    answers = [
        _elsewhere(project, freeze, function, tests) or _answer(project, context, freeze, function, tests)
        for freeze in found
    ]
    launch = context.begins or Place("", 1)
    none = Excluded(Note(launch, "freezes nothing that the backward pass comes through"))
    return min(answers, key=doubt, default=none)


def adapts(project: Project, context: Context) -> Place | None:
    """Must: where a run leaves only adapters of peft to train."""
    reach = project.reach(context.entry) if context.entry else ()
    found = [f for f in project.get(freezes) if not f.part and f.function in reach]
    runs = (f.at for f in found if isinstance(comes_by(project, context, f.function, f.node), Fatal))
    return min(runs, default=None)


def _elsewhere(project: Project, freeze: Freeze, function: str, tests: dict[ast.If, bool]) -> Excluded | None:
    """Is it on the other side of a test around the place?"""
    for asked, outcome in flow_of(project, freeze.function).tests(freeze.node):
        if freeze.function == function and tests.get(asked, outcome) is not outcome:
            note = f"freezes {freeze.what} on the other side of `{unparse(asked.test)}`"
            return Excluded(Note(freeze.at, note))
    return None


def _answer(
    project: Project, context: Context, freeze: Freeze, function: str, tests: dict[ast.If, bool]
) -> Answer:
    if context.entry is None:  # a configuration alone: some run that it is meant for may freeze
        return Fatal(Note(freeze.at, f"freezes {freeze.what}"))
    again = thawed(project, context, freeze.function, freeze.node, freeze.part) if freeze.part else None
    if again is not None:
        return Excluded(again)
    settled = frozenset(tests.items()) if freeze.function == function else frozenset[tuple[ast.If, bool]]()
    runs = comes_by(project, context, freeze.function, freeze.node, settled=settled)
    if isinstance(runs, Fatal) and freeze.open:
        return Unclear(f"which parameters `{freeze.open}` leaves trainable at {freeze.at}", plausible=False)
    if isinstance(runs, Fatal):
        why = f": {runs.why.note}" if runs.why else ""
        return Fatal(Note(freeze.at, f"freezes {freeze.what}{why}"))
    return runs


def _called(project: Project, facts: FunctionFacts) -> Iterator[Freeze]:
    for call in project.calls_of(facts.id, ("requires_grad_", "get_peft_model")):
        at = project.place(facts.path, call)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
            if _is_false(call) and holds_layers(call.func.value):
                part = unparse(call.func.value)
                yield Freeze(facts.id, call, at, f"`{part}`", part=part)
        elif project.names(call.func, facts.id) & set(_ADAPTERS):
            yield Freeze(facts.id, call, at, "all but the adapters")


def _is_false(call: ast.Call) -> bool:
    given = [*call.args, *(k.value for k in call.keywords)]
    return len(given) == 1 and isinstance(given[0], ast.Constant) and given[0].value is False


def _stored(project: Project, facts: FunctionFacts) -> Iterator[Freeze]:
    """`for p in model.parameters(): p.requires_grad = False`"""
    if not any(store.attr == "requires_grad" for store in facts.body.stores):
        return
    for node in own_nodes(facts.node):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and node.value.value is False
        ):
            owner = _owner(project, facts, node)
            if owner is not None and holds_layers(owner[0]):
                yield Freeze(
                    facts.id,
                    owner[1],
                    project.place(facts.path, node),
                    f"`{unparse(owner[0])}`",
                    _inner_test(project, facts, node, owner[1]),
                    unparse(owner[0]),
                )


def _owner(project: Project, facts: FunctionFacts, node: ast.Assign) -> tuple[ast.expr, ast.stmt] | None:
    """`model` and the loop, for `p.requires_grad = ...` in `for p in model.parameters()`."""
    target = node.targets[0]
    if not isinstance(target, ast.Attribute) or target.attr != "requires_grad":
        return None
    for loop in flow_of(project, facts.id).loops(node):
        each = getattr(loop, "iter", None)
        method = each.func if isinstance(each, ast.Call) else None
        if isinstance(method, ast.Attribute) and method.attr in ("parameters", "named_parameters"):
            return method.value, loop
    return None


def _inner_test(project: Project, facts: FunctionFacts, node: ast.Assign, loop: ast.stmt) -> str:
    """The test inside the loop that picks parameters, "" when all are frozen."""
    flow = flow_of(project, facts.id)
    outer = [test for test, _ in flow.tests(loop)]
    inner = [test for test, _ in flow.tests(node) if test not in outer]
    return unparse(inner[0].test) if inner else ""


def holds_layers(receiver: ast.expr) -> bool:
    """May it be a whole model, or the part with the layers of a language model, by its name?"""
    text = unparse(receiver).lower().removesuffix("()")
    return not _OTHERS.search(text) and bool(_LAYERS.fullmatch(text.rpartition(".")[2]))
