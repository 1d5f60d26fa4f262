"""MM114: a model is copied while ZeRO-3 holds it in shards."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Finding,
    Fix,
    ModelCopy,
    Note,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    both,
    comes_by,
    comes_sharded,
    conclude,
    doubted,
    gathered_at,
    model_copies,
    partitioned_by,
    site,
    weigh,
    without_zero3,
)

SHOWN = (
    "load a second model in place of the copy, give it an engine of its own, and gather both for each "
    "change; or average the shards (`ds_tensor`) of both"
)


def trigger(project: Project) -> Iterator[Site]:
    """Every copy of a model that transformers has loaded or an engine holds."""
    for found in project.get(model_copies):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    safe = _safe(project, site)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe.note, (safe,))
        return
    verdict = weigh(project, site.function, lambda context: _answer(project, context, site))
    anchor, shown = f"{site.symbol}: {ast.unparse(site.node)}", Fix(SHOWN, Applicability.DISPLAY)
    yield conclude(RULE.code, site, verdict, _message(site), anchor, fix=shown)


def _safe(project: Project, site: Site) -> Note | None:
    """A gather around the copy, or a test on ZeRO-3."""
    facts = project.index.function(site.function)
    for frame in project.frames(site.function):
        gather = gathered_at(project, facts, site.node, frame)
        if gather is not None:
            return Note(gather, "gathers the parameters around the copy")
    off = without_zero3(project, site.function, site.node)
    return Note(off.at, "copies only without ZeRO-3") if off else None


def _answer(project: Project, context: Context, site: Site) -> Answer:
    found: ModelCopy = site.data
    if context.entry is None:
        return Excluded(Note(site.at, "its callers decide whether ZeRO-3 runs"))
    answer = comes_sharded(project, context, site.function, site.node)
    if isinstance(answer, Excluded):
        return answer
    way = comes_by(project, context, site.function, site.node)
    answer = doubted(answer, way.fact) if isinstance(way, Unclear) else answer
    return both(answer, partitioned_by(project, context, site.function, site.node, found.loaded))


def _message(site: Site) -> str:
    found: ModelCopy = site.data
    return (
        f"`{ast.unparse(found.call.func)}` copies empty placeholders: under ZeRO-3 this rank does not hold "
        f"the weights of `{ast.unparse(found.model)}`, and DeepSpeed gathers nothing for the copy."
    )


RULE = Rule(
    code="MM114",
    name="zero3-ema-deepcopy",
    summary="A model is copied while ZeRO-3 holds it in shards, so the copy has no weights",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
)
