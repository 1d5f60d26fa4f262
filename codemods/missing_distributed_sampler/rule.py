"""MM408: under DDP by hand, all ranks train on all the data, because the loader has no sampler for ranks."""

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
    comes_by,
    conclude,
    every_parameter,
    runs_with,
    several_ranks,
    site,
    trainer_runs,
    unshared_data,
    weigh,
)

BY_HAND = (Strategy.DDP, Strategy.UNKNOWN)  # what wraps decides where nothing launches the code
MOST_OPEN = 1  # of a place with more open facts there is nothing to say


def trigger(project: Project) -> Iterator[Site]:
    """The loaders without a sampler that a loop trains on, in trees that wrap models for DDP."""
    if any(context.strategy in BY_HAND for context in project.contexts):
        for found in project.get(unshared_data.plain_loaders):
            yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: unshared_data.Plain = site.data
    if not any(_wraps(project, context, found) for context in project.contexts):
        return
    verdict = weigh(project, site.function, lambda context: _judge(project, context, found))
    if len(verdict.open) <= MOST_OPEN:
        loop = Place(found.inner.partition("::")[0], found.batches.lineno, found.batches.col_offset + 1)
        notes = (Note(loop, "trains on what the loader hands out"),)
        anchor = f"{site.symbol}: {ast.unparse(site.node)}"
        yield conclude(
            RULE.code, site, verdict, MESSAGE, anchor, notes, fix=Fix(SHOWN, Applicability.DISPLAY)
        )


def _wraps(project: Project, context: Context, found: unshared_data.Plain) -> bool:
    """Does a run that trains on it wrap a model for DDP itself?"""
    if context.strategy not in BY_HAND or context.entry is None:
        return False
    reached = found.function in project.reach(context.entry) and found.inner in project.reach(context.entry)
    return reached and bool(every_parameter.by_hand(project, context))


def _judge(project: Project, context: Context, found: unshared_data.Plain) -> Answer:
    """Cheap questions come first."""
    answer = both(runs_with(project, context, BY_HAND), several_ranks(project, context))
    for ask in (_wrapped, _shared_out):
        answer = answer if isinstance(answer, Excluded) else both(answer, ask(project, context))
    for function, node in ((found.function, found.call), (found.inner, found.batches)):
        answer = (
            answer if isinstance(answer, Excluded) else both(answer, _comes(project, context, function, node))
        )
    if isinstance(answer, Excluded):
        return answer
    return both(answer, unshared_data.same_data(project, context, found))


def _wrapped(project: Project, context: Context) -> Answer:
    """The line that wraps the model."""
    calls = every_parameter.by_hand(project, context)
    if not calls:
        return Excluded(Note(context.begins or Place("", 1), "wraps no model for DDP itself"))
    sure = [c for c in calls if isinstance(comes_by(project, context, *c), Fatal)]
    function, call = (sure or calls)[0]
    at = project.place(function.partition("::")[0], call)
    return (
        Fatal(Note(at, "the ranks train one model"))
        if sure
        else Unclear(f"whether {at} runs", plausible=False)
    )


def _shared_out(project: Project, context: Context) -> Answer:
    """Libraries that put samplers into loaders."""
    prepares = every_parameter.prepares(project, context)
    if prepares is not None or trainer_runs(project, context):
        at = prepares or context.begins or Place("", 1)
        return Excluded(Note(at, "a library gives each rank its share of the data"))
    return Fatal()


def _comes(project: Project, context: Context, function: str, node: ast.AST) -> Answer:
    """A test that stays open is too much for a warning: it may ask for several ranks."""
    come = comes_by(project, context, function, node)
    return Unclear(come.fact, plausible=False) if isinstance(come, Unclear) else come


MESSAGE = (
    "Every rank trains on all the data: this loader has no `DistributedSampler`, so an epoch takes as many "
    "steps as on one GPU, ranks see the same samples, and no error says so."
)
SHOWN = (
    "give the loader `sampler=DistributedSampler(dataset)` in place of `shuffle=True`, and call "
    "`sampler.set_epoch(epoch)` at the beginning of each epoch"
)

RULE = Rule(
    code="MM408",
    name="missing-distributed-sampler",
    summary="Under DDP by hand a loader without a DistributedSampler gives all data to every rank",
    family="collectives",
    severity=Severity.WARNING,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
)
