"""MM311: reentrant checkpointing of layers with adapters, whose inputs require no gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Note,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    adapted_inputs,
    both,
    checkpointing,
    comes_by,
    conclude,
    doubted,
    reentrant,
    sees,
    site,
    transformers_gates,
    uses_trl,
    versions,
    weigh,
)

from .codemod import fix

MENDED = transformers_gates.INPUTS_TRAIN
MOST_OPEN = 2  # of a place with more open facts there is nothing to say
VERSION = f"the transformers version: reentrant by default before {MENDED}"


def trigger(project: Project) -> Iterator[Site]:
    """Where training code puts adapters into a model."""
    for found in project.get(adapted_inputs.adapters):
        if found.function in project.trained:
            yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    runs = [c for c in project.contexts if c.entry and site.function in project.reach(c.entry)]
    if not any(_checkpoints(project, context) for context in runs):
        return
    verdict = weigh(project, site.function, lambda context: _judge(project, context, site))
    if len(verdict.open) <= MOST_OPEN:
        yield conclude(RULE.code, site, verdict, MESSAGE, f"{site.symbol}: {ast.unparse(site.node)}")


def _checkpoints(project: Project, context: Context) -> Answer | None:
    """Is the checkpointing of transformers on and reentrant in a run? None where it is not on."""
    found = (r for r in reentrant.reentrant(project, context) if r.call is None or _enables(r.call))
    first = next(found, None)
    return first.answer if first else None


def _enables(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == checkpointing.ENABLE


def _judge(project: Project, context: Context, site: Site) -> Answer:
    """Cheap questions come first."""
    answer = _checkpoints(project, context)
    if answer is None:
        return Excluded(Note(site.at, "transformers checkpoints nothing in this run"))
    on = answer
    for ask in (_others, _version):
        answer = answer if isinstance(answer, Excluded) else both(answer, ask(project, context))
    if not isinstance(answer, Excluded):
        answer = both(answer, comes_by(project, context, site.function, site.node))
    if not isinstance(answer, Excluded):
        answer = both(answer, adapted_inputs.frozen_inputs(project, context, site.data))
    return Fatal(on.why) if isinstance(answer, Fatal) and isinstance(on, Fatal) else answer


def _version(project: Project, context: Context) -> Answer:
    old = versions.below(context, "transformers", MENDED)
    if old is None:
        return Unclear(VERSION, plausible=False)
    pin = versions.pinned(context, "transformers", f", {MENDED} or later: it prepares the inputs itself")
    return Fatal() if old or pin is None else Excluded(pin)


def _others(project: Project, context: Context) -> Answer:
    """What may make the inputs require gradients without a word in the tree."""
    answer: Answer = Fatal()
    if uses_trl(project, context):
        answer = doubted(answer, "what the trainer of trl does itself", plausible=False)
    seen = sees(project, context)
    return (
        doubted(answer, f"whether pictures or sounds bring gradients ({seen.at})", False) if seen else answer
    )


MESSAGE = (
    "Nothing makes the inputs of the checkpointed layers require gradients: the embeddings are frozen, and "
    "reentrant checkpointing then computes no gradients. The first backward pass stops with `element 0 of "
    "tensors does not require grad`, or, where a part behind the layers trains, the adapters never change."
)

RULE = Rule(
    code="MM311",
    name="frozen-input-reentrant-checkpoint",
    summary="Reentrant checkpointing of adapters over frozen embeddings computes no gradients",
    family="numerics",
    severity=Severity.ERROR,
    since="0.1.0",
    options=(checkpointing.ON, checkpointing.KWARGS),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
