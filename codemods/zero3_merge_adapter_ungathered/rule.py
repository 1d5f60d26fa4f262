"""MM117: an adapter is merged into weights that ZeRO-3 has cut into shards."""

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
    Merge,
    Note,
    Project,
    Rule,
    Severity,
    Site,
    both,
    comes_sharded,
    conclude,
    gathered_at,
    merges,
    never_handed,
    partitioned_by,
    site,
    weigh,
    without_zero3,
)

from .codemod import fix


def trigger(project: Project) -> Iterator[Site]:
    """Every merge into a model that training holds or transformers has loaded."""
    for found in project.get(merges):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call of an attribute."""
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    safe = _safe(project, site)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe.note, (safe,))
        return
    verdict = weigh(project, site.function, lambda context: _answer(project, context, site))
    yield conclude(RULE.code, site, verdict, _message(site), f"{site.symbol}: {ast.unparse(site.node)}")


def _safe(project: Project, site: Site) -> Note | None:
    """A gather around the merge, or code that asks for ZeRO-3 before it."""
    facts = project.index.function(site.function)
    for frame in project.frames(site.function):
        gather = gathered_at(project, facts, site.node, frame)
        if gather is not None:
            return Note(gather, "gathers the parameters around the merge")
    off = without_zero3(project, site.function, site.node)
    if off is not None:
        return Note(off.at, "merges only where ZeRO-3 is off")
    asked = site.data.asked
    return Note(asked, "the function asks whether ZeRO-3 runs") if asked else None


def _answer(project: Project, context: Context, site: Site) -> Answer:
    found: Merge = site.data
    if context.entry is None:
        return Excluded(Note(site.at, "its callers decide whether ZeRO-3 runs"))
    never = never_handed(project, context, site.function, site.node)
    if never is not None:
        return Excluded(never)
    answer = comes_sharded(project, context, site.function, site.node)
    if isinstance(answer, Excluded):
        return answer
    return both(answer, partitioned_by(project, context, site.function, site.node, found.loaded))


def _message(site: Site) -> str:
    found: Merge = site.data
    model, method = ast.unparse(found.model), found.call.func.attr  # type: ignore[attr-defined]
    lost = "and the adapter is gone" if method == "merge_and_unload" else "and trains on as if it had"
    return (
        f"`{model}.{method}` merges nothing, {lost}, or it stops with sizes that do not match: under ZeRO-3 "
        "this rank holds empty placeholders in place of the weights."
    )


RULE = Rule(
    code="MM117",
    name="zero3-merge-adapter-ungathered",
    summary="An adapter is merged into weights that ZeRO-3 has cut into shards, so it is lost",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
