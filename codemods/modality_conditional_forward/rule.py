"""MM201: a module runs only when this rank's batch has the modality."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    GROUPS,
    Answer,
    Branch,
    Context,
    Dismissal,
    Excluded,
    Finding,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Strategy,
    Unclear,
    batch_branches,
    branches,
    conclude,
    doubted,
    encoder_loops,
    encoder_picks,
    grouped,
    ignored_at,
    in_root_unit,
    launched,
    listed_at,
    off_default,
    sharded_ranks,
    site,
    weigh,
)

from .codemod import fix


def trigger(project: Project) -> Iterator[Site]:
    """Branches on a modality of which one side runs a module, outermost first."""
    judged: set[tuple[str, frozenset[str]]] = set()
    for branch in (*project.get(branches), *project.get(encoder_loops), *project.get(encoder_picks)):
        if not branch.lone and not branch.shared:
            continue
        key = (branch.facts.id, branch.lone)
        if branch.lone and key in judged:
            continue
        judged.add(key)
        yield site(project, branch.facts.id, branch.node, branch)


def pattern(node: cst.CSTNode) -> bool:
    """An `if`, statement or expression, a loop over what one chose before, or a call in one line with it."""
    return isinstance(node, (cst.If, cst.IfExp, cst.For, cst.Call))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    branch: Branch = site.data
    safe = batch_branches.in_step(project, branch)
    if safe:
        yield Dismissal(RULE.code, site.at, *safe)
    elif branch.lone and not batch_branches.in_loop(project, branch):
        yield from _judged(project, site, branch)


def _judged(project: Project, site: Site, branch: Branch) -> Iterator[Finding | Dismissal]:
    verdict = weigh(project, site.function, lambda context: _answer(project, context, branch))
    entry = verdict.contexts[0].entry if verdict.contexts else None
    related = (*_call_notes(site, branch), *batch_branches.lacking(project, branch, entry)[1])
    yield conclude(RULE.code, site, verdict, _message(branch), branch.test, related, at=site.head)


def _answer(project: Project, context: Context, branch: Branch) -> Answer:
    whole = _unseen_by_fsdp(project, branch)
    if whole is not None and context.strategy in (Strategy.FSDP1, Strategy.FSDP2):
        return Excluded(whole)
    once = in_root_unit(context, branch.lone)
    if once is not None:
        return Excluded(once)
    sharded = sharded_ranks(project, context)
    if isinstance(sharded, Excluded):
        return sharded
    if isinstance(sharded, Unclear):
        sharded = Unclear(sharded.fact, plausible=False)
    missing, _ = batch_branches.lacking(project, branch, context.entry)
    answer = doubted(launched(sharded, context), missing, plausible=False)
    way = off_default(project, context, branch.facts.id, branch.node)
    return grouped(doubted(answer, way, plausible=False), context)


def _unseen_by_fsdp(project: Project, branch: Branch) -> Note | None:
    """Where all modules that only one side runs are put into lists, which FSDP does not look into, or where
    FSDP is told to leave them out."""
    lone = [c for c in (*branch.true, *branch.false) if c.modules & branch.lone]
    places = [listed_at(project, run, branch.frame) for run in lone]
    if places and places[0] is not None and None not in places:
        return Note(places[0], "a list holds the module, so FSDP does not shard it")
    ignored = ignored_at(project, branch.lone)
    return Note(ignored, "FSDP is told to leave the module whole") if ignored else None


def _call_notes(site: Site, branch: Branch) -> tuple[Note, ...]:
    calls = [c for c in (*branch.true, *branch.false) if c.modules & branch.lone]
    return tuple(
        Note(Place(site.path, c.call.lineno), f"runs {', '.join(sorted(c.modules))}") for c in calls[:3]
    )


def _message(branch: Branch) -> str:
    names = ", ".join(f"`{name}`" for name in sorted(branch.lone))
    several = len(branch.lone) > 1
    if branch.picks:
        runs = "runs another part for each"
    elif branch.apart:
        runs = "runs another part on each side"
    elif any(c.modules & branch.lone for c in branch.true):
        runs = f"{'run' if several else 'runs'} only where it holds"
    else:
        runs = f"{'do' if several else 'does'} not run where it holds"
    return (
        f"The run hangs as soon as two ranks disagree on `{branch.test}`: {names} {runs}, so one rank skips "
        "the all-gather of parameters in which the others wait."
    )


RULE = Rule(
    code="MM201",
    name="modality-conditional-forward",
    summary="A module runs only on the ranks whose batch has the modality",
    family="modality",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy", GROUPS),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
