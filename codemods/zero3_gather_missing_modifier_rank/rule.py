"""MM107: a gathered parameter is changed, and nothing says whose values count when the gather ends."""

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
    Gather,
    Note,
    Project,
    Rule,
    Severity,
    Site,
    Spelling,
    both,
    comes_sharded,
    conclude,
    gathered_models,
    partitioned,
    partitioned_by,
    site,
    weigh,
    without_zero3,
    writing_gathers,
)

from .codemod import fix


def trigger(project: Project) -> Iterator[Site]:
    """Every gather inside which gathered parameters are changed."""
    for found in project.get(writing_gathers):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: Gather = site.data
    safe = _safe(project, site, found)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe[0], (safe[1],))
        return
    loaded = _loaded(project, found)
    verdict = weigh(project, site.function, lambda c: _answer(project, c, site, loaded))
    notes = tuple(Note(project.place(site.path, w.node), "changes it") for w in found.writes[:3])
    anchor = f"{site.symbol}: {ast.unparse(found.call)}"
    yield conclude(RULE.code, site, verdict, _message(found), anchor, notes)


def _safe(project: Project, site: Site, found: Gather) -> tuple[str, Note] | None:
    """What makes the change hold, or nothing that has to."""
    if found.whose is not None:
        note = Note(project.place(site.path, found.whose), "says whose values count")
        return "the values of `modifier_rank` go to all ranks", note
    if found.used is not None:
        note = Note(project.place(site.path, found.used), "needs the changed values, inside the gather")
        return "the change is meant for the time of the gather", note
    off = without_zero3(project, site.function, found.call)
    return ("runs only without ZeRO-3", off) if off else None


def _loaded(project: Project, found: Gather) -> bool:
    """Has `from_pretrained` made the parameters, for certain?"""
    spelling = Spelling(project, found.function)
    models = list(gathered_models(spelling, found.given))
    held = (partitioned(project, m, f) for f in project.frames(found.function) for m in models)
    return any(h is not None and h.certain for h in held)


def _answer(project: Project, context: Context, site: Site, loaded: bool) -> Answer:
    found: Gather = site.data
    unknown = ""
    if found.filtered:
        unknown = f"whether `{ast.unparse(found.writes[0].of)}` is among what is gathered"
    answer = comes_sharded(project, context, site.function, found.writes[0].node, unknown)
    if isinstance(answer, Excluded):
        return answer
    return both(answer, partitioned_by(project, context, site.function, found.call, loaded))


def _message(found: Gather) -> str:
    write = found.writes[0]
    lost = f"The change of `{ast.unparse(write.of)}`"
    if isinstance(write.node, ast.Call):
        lost = f"What `{ast.unparse(write.node.func)}` does to `{ast.unparse(write.of)}`"
    return (
        f"{lost} is lost: the gather has no `modifier_rank`, so under ZeRO-3 each rank goes back to the "
        "shard that it had before."
    )


RULE = Rule(
    code="MM107",
    name="zero3-gather-missing-modifier-rank",
    summary="Parameters are changed inside GatheredParameters without a modifier_rank, so the change is lost",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
