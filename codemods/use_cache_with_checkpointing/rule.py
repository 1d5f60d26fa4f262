"""MM313: torch checkpoints the layers of a language model that keeps its cache on."""

from __future__ import annotations

import ast
import re
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
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    both,
    comes_by,
    conclude,
    site,
    transformers_gates,
    versions,
    weigh,
    wrapped_checkpointing,
)

from .codemod import fix

APPENDS = transformers_gates.CACHE_APPENDS
TWICE, ONCE = transformers_gates.CACHE_TWICE, transformers_gates.CACHE_ONCE
_FAMILIES = re.compile(r"llama|mistral|mixtral|qwen[-_.]?(2|3)|gemma|vicuna", re.IGNORECASE)


def trigger(project: Project) -> Iterator[Site]:
    """Calls that have torch checkpoint the layers of a language model of transformers."""
    for found in project.get(wrapped_checkpointing.wrapped):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: wrapped_checkpointing.Wrapped = site.data
    verdict = weigh(project, site.function, lambda context: _judge(project, site, context))
    load = project.place(found.loads.function.partition("::")[0], found.loads.expr)
    notes = (Note(load, "the model is loaded here, with its cache on"),)
    message = WRONG if found.reentrant else DIES
    yield conclude(RULE.code, site, verdict, message, ast.unparse(site.node), notes)


def _judge(project: Project, site: Site, context: Context) -> Answer:
    found: wrapped_checkpointing.Wrapped = site.data
    off = wrapped_checkpointing.cache_off(project, context)
    if off is not None:
        return Excluded(off)
    answer = both(_version(context, found.reentrant), _family(found))
    return answer if isinstance(answer, Excluded) else both(answer, _comes(project, site, context))


def _comes(project: Project, site: Site, context: Context) -> Answer:
    return Fatal() if context.entry is None else comes_by(project, context, site.function, site.node)


def _version(context: Context, reentrant: bool) -> Answer:
    """Does this transformers append to the cache, and again when a layer is computed again?"""
    old = versions.below(context, "transformers", APPENDS)
    mended = not reentrant and versions.below(context, "transformers", ONCE) is False
    if old or mended:
        why = "whose layers append to no cache" if old else "in which nothing fails"
        at = context.begins or Place("", 1)
        return Excluded(versions.pinned(context, "transformers", f", {why}") or Note(at, why))
    if old is False and (reentrant or versions.below(context, "transformers", TWICE)):
        return Fatal()
    until = "" if reentrant else f", before {ONCE}"
    return Unclear(f"the transformers version: {APPENDS} or later{until}", plausible=False)


def _family(found: wrapped_checkpointing.Wrapped) -> Answer:
    """Is it a model that appends to a cache, which not all did from the first release on, layer by layer?"""
    if not found.picks:
        return Unclear("which layers are checkpointed", plausible=False)
    if _FAMILIES.search(found.model or found.named):
        return Fatal()
    return Unclear("which model it is: older ones append to no cache", plausible=False)


DIES = (
    "The first backward pass dies with `CheckpointError: Recomputed values ... have different metadata`, "
    "in which the length of the sequence has doubled: the model keeps its cache on, and a layer that is "
    "computed again appends to it a second time. transformers switches it off only where it checkpoints by "
    "itself."
)
WRONG = (
    "The gradients are wrong, and nothing says so: the model keeps its cache on, and a layer that is "
    "computed again, in the reentrant way, appends to it a second time and attends to every token twice. "
    "transformers switches it off only where it checkpoints by itself."
)

RULE = Rule(
    code="MM313",
    name="use-cache-with-checkpointing",
    summary="torch checkpoints the layers of a language model that keeps its cache on",
    family="numerics",
    severity=Severity.WARNING,
    since="0.1.0",
    options=(),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
