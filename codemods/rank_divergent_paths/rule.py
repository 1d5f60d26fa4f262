"""MM416: each rank makes up its own name for the folder into which all of them write one checkpoint."""

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
    Fatal,
    Finding,
    Fix,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Strategy,
    Unclear,
    both,
    comes_to,
    conclude,
    own_names,
    rank_test,
    several_ranks,
    site,
    weigh,
)

Written = own_names.Written
SHARED = (Strategy.FSDP1, Strategy.FSDP2)
DOUBTS = {
    own_names.Why.SECONDS: "whether all ranks read their clocks in the same second",
    own_names.Why.DRAWN: "whether all ranks draw the same number",
}


def trigger(project: Project) -> Iterator[Site]:
    """Calls by which all ranks write a checkpoint into a folder named by a clock or by chance."""
    for found in project.get(own_names.written):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: Written = site.data
    source = project.place(found.home.partition("::")[0], found.source)
    test = rank_test(project, found.function, found.call)
    if test is not None:
        note = Note(project.place(site.path, test), f"`{ast.unparse(test)}`: not every rank gets here")
        yield Dismissal(RULE.code, site.at, "not every rank writes it", (note,))
        return
    verdict = weigh(project, site.function, lambda context: _judge(project, context, found, source))
    notes = (Note(source, "each rank asks for itself"),) if source != site.at else ()
    yield conclude(RULE.code, site, verdict, _message(found), ast.unparse(found.call), notes)


def _judge(project: Project, context: Context, found: Written, source: Place) -> Answer:
    if context.entry is not None and found.home not in project.reach(context.entry).functions:
        return Excluded(Note(source, "this program does not make the name"))
    answer = both(_writes(context, found, source), several_ranks(project, context))
    answer = both(answer, comes_to(project, context, found.home, found.source))
    doubt = DOUBTS.get(found.why)
    return both(answer, Unclear(doubt, plausible=False)) if doubt else answer


def _writes(context: Context, found: Written, source: Place) -> Answer:
    """Does every rank write a part of its own that the others' parts are needed for?"""
    if context.strategy.is_deepspeed:
        at = context.strategy_from.at
        return Fatal(Note(at, "with ZeRO each rank writes its part of the optimizer") if at else None)
    if found.by == own_names.ENGINE or context.strategy in (Strategy.UNKNOWN, *SHARED):
        return Unclear("whether each rank writes a part of its own", plausible=False)
    return Excluded(Note(context.begins or source, "without ZeRO or FSDP the main rank writes all weights"))


def _message(found: Written) -> str:
    source, value = ast.unparse(found.source), ast.unparse(found.value)
    return (
        f"`{source}` is another one on each rank, and {found.by} writes one checkpoint from all ranks into "
        f"`{value}`: its parts end up in several folders, and no run can go on from any of them."
    )


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Shown: where the group exists, and which name is meant, differs from tree to tree."""
    return Fix("make the name on one rank, and `broadcast_object_list` it to the others", SHOWN)


SHOWN = Applicability.DISPLAY

RULE = Rule(
    code="MM416",
    name="rank-divergent-paths",
    summary="Each rank makes up its own name for the folder of one checkpoint",
    family="collectives",
    severity=Severity.WARNING,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
