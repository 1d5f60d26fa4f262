"""MM312: DDP searches for unused parameters while checkpointing is reentrant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

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
    both,
    checkpointing,
    conclude,
    config_answers,
    config_site,
    doubted,
    reentrant,
    runs_with,
    several_ranks,
    trainer_option,
    trainer_runs,
    unused_search,
    uses_trl,
    weigh,
)

from .codemod import non_reentrant

DDP = (Strategy.DDP,)
SHOWN = f'set "{checkpointing.KEY}" to false, or do not let DDP search for unused parameters'


def trigger(project: Project) -> Iterator[Site]:
    """Where a model is wrapped to be searched, and launches under DDP whose Trainer checkpoints."""
    for made in project.get(unused_search.wrapped):
        path = made.function.partition("::")[0]
        yield Site(path, project.place(path, made.call), function=made.function, node=made.call, data=made)
    found: dict[Place, list[Context]] = {}
    for context in project.contexts:
        if context.strategy is Strategy.DDP and trainer_runs(project, context):
            on = trainer_option(project, context, checkpointing.ON)
            if on.value is True and on.at is not None:
                found.setdefault(on.at, []).append(context)
    for at, contexts in found.items():
        yield config_site(at, contexts)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, list):
        answers = [(c, a) for c in site.data if (a := _judge_trainer(project, c))]
        yield from config_answers.concluded(
            project, RULE.code, site.at, answers, lambda c, a: MESSAGE, checkpointing.ON
        )
        return
    runs = [c for c in project.contexts if c.entry and site.function in project.reach(c.entry)]
    if not any(_searched(project, site, context) for context in runs or project.contexts[:1]):
        return
    verdict = weigh(project, site.function, lambda context: _judge(project, site, context))
    yield conclude(RULE.code, site, verdict, MESSAGE, ast.unparse(site.node))


def _searched(project: Project, site: Site, context: Context) -> bool:
    """May a run let DDP search, as far as something says so?"""
    value = next(k.value for k in site.data.call.keywords if k.arg == "find_unused_parameters")
    plain = isinstance(value, ast.Constant) and not value.value
    return not plain and unused_search.searches(project, context, site.data) is not None


def _judge(project: Project, site: Site, context: Context) -> Answer:
    """A model that the code wraps itself."""
    ranks = _ranks(project, site, context)
    if isinstance(ranks, Excluded):
        return ranks
    searches = unused_search.searches(project, context, site.data)
    if searches is None:
        return Excluded(Note(site.at, "nothing says that DDP searches in this run"))
    if isinstance(searches, Excluded):
        return searches
    return _together(project, context, both(ranks, searches)) or Excluded(
        Note(site.at, "nothing checkpoints in this run")
    )


def _ranks(project: Project, site: Site, context: Context) -> Answer:
    """Does the run wrap its model for DDP?"""
    if context.strategy is Strategy.UNKNOWN and site.data.name == unused_search.WRAPPER:
        return several_ranks(project, context)
    return runs_with(project, context, DDP)


def _judge_trainer(project: Project, context: Context) -> Answer | None:
    """A run of the Trainer; None where nothing makes DDP search."""
    searches = unused_search.trainer_searches(project, context)
    if searches is None or isinstance(searches, Excluded):
        return searches
    if uses_trl(project, context):
        searches = doubted(searches, "what the trainer of trl sets itself", False)
    return _together(project, context, searches)


def _together(project: Project, context: Context, searches: Answer) -> Answer | None:
    """Searching and reentrant checkpointing in one run; None where nothing checkpoints."""
    static = _static(project, context)
    if static is not None:
        return Excluded(Note(static, "the graph is static: DDP learns it in the first step"))
    first = next(iter(reentrant.reentrant(project, context)), None)
    if first is None:
        return None
    told = both(first.answer, searches)
    if isinstance(told, Fatal) and isinstance(searches, Fatal):
        return Fatal(searches.why or told.why)
    return told


def _static(project: Project, context: Context) -> Place | None:
    reach = project.reach(context.entry) if context.entry else None
    found = [
        project.place(facts.path, call)
        for facts in project.mentioning("_set_static_graph")
        if reach is None or facts.id in reach
        for call in project.calls_of(facts.id, ("_set_static_graph",))
    ]
    return min(found, default=None)


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Not reentrant, where only runs under DDP come by: ZeRO-3 may need it the other way round (MM115)."""
    contexts = [c for c in project.contexts if c.id in finding.contexts]
    edits = set()
    for context in contexts[:1]:
        for found in reentrant.reentrant(project, context):
            if not isinstance(found.answer, Fatal):
                continue
            edit = non_reentrant(project, found.function, found.call) if found.call else None
            if edit is None or _shared(project, found.function):
                return Fix(SHOWN, Applicability.DISPLAY)
            edits.add(edit)
    if not edits:
        return Fix(SHOWN, Applicability.DISPLAY)
    ordered = tuple(sorted(edits, key=lambda e: (e.path, e.start)))
    return Fix(f'set "{checkpointing.KEY}" to false', Applicability.SAFE, ordered)


def _shared(project: Project, function: str) -> bool:
    """Does a run under another strategy come by?"""
    return any(
        c.strategy not in (Strategy.DDP, Strategy.SINGLE) and c.entry and function in project.reach(c.entry)
        for c in project.contexts
    )


MESSAGE = (
    "The first backward pass stops with `Expected to mark a variable ready only once`: DDP searches for "
    "unused parameters, takes those of checkpointed layers for unused, and meets them again when reentrant "
    "checkpointing runs the layers a second time."
)

RULE = Rule(
    code="MM312",
    name="ddp-reentrant-checkpoint",
    summary="DDP searches for unused parameters while checkpointing is reentrant",
    family="numerics",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("strategy", checkpointing.ON, unused_search.FLAG),
    trigger=trigger,
    check=check,
    fix=fix,
)
