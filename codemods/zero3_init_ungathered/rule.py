"""MM106: a parameter is initialised or overwritten while ZeRO-3 holds it in shards."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Excluded,
    Finding,
    Note,
    Project,
    Rule,
    Severity,
    ShardedWrite,
    Site,
    both,
    comes_sharded,
    conclude,
    gathered_at,
    partitioned_by,
    sharded_writes,
    site,
    weigh,
    without_zero3,
)

from .codemod import fix


def trigger(project: Project) -> Iterator[Site]:
    """Every call that changes a parameter of a followed model in place."""
    for found in project.get(sharded_writes):
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
    yield conclude(RULE.code, site, verdict, _message(site), f"{site.symbol}: {ast.unparse(site.node)}")


def _safe(project: Project, site: Site) -> Note | None:
    """A gather around the change, a test on ZeRO-3, or embeddings that are whole because they are new."""
    found: ShardedWrite = site.data
    facts = project.index.function(site.function)
    for frame in project.frames(site.function):
        gather = gathered_at(project, facts, site.node, frame)
        if gather is not None:
            return Note(gather, "gathers the parameters around the change")
    if found.resized is not None:
        return Note(
            found.resized, "gives the model new embeddings, which are whole until training takes them"
        )
    off = without_zero3(project, site.function, site.node)
    return Note(off.at, "runs only without ZeRO-3") if off else None


def _answer(project: Project, context: Context, site: Site) -> Answer:
    found: ShardedWrite = site.data
    if context.entry is None:
        return Excluded(Note(site.at, "its callers decide whether ZeRO-3 runs"))
    answer = comes_sharded(project, context, site.function, site.node)
    if isinstance(answer, Excluded):
        return answer
    return both(answer, partitioned_by(project, context, site.function, site.node, found.loaded))


def _message(site: Site) -> str:
    found: ShardedWrite = site.data
    func, of = ast.unparse(found.call.func), ast.unparse(found.of)
    return (
        f"`{func}` leaves `{of}` as it was, or stops with a shape that it cannot use: under ZeRO-3 an empty "
        "placeholder stands in its place here."
    )


RULE = Rule(
    code="MM106",
    name="zero3-init-ungathered",
    summary="A parameter is initialised while ZeRO-3 holds it in shards, which changes nothing",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
