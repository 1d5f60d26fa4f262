"""MM202: under DDP a module that trains runs only when this rank's batch has the modality."""

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
    ModuleCall,
    ModuleFreeze,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Strategy,
    batch_branches,
    both,
    branches,
    conclude,
    doubted,
    encoder_loops,
    every_parameter,
    freezes_inside,
    grouped,
    module_classes,
    module_freezes,
    runs_with,
    site,
    uses_trl,
    weigh,
    without_gradients,
)

from .codemod import fix

MOST_OPEN = 1  # of a place with more open facts there is nothing to say


def trigger(project: Project) -> Iterator[Site]:
    """Branches on a modality of which one side runs a module, outermost first, in trees that use DDP."""
    if not any(context.strategy is Strategy.DDP for context in project.contexts):
        return
    judged: set[tuple[str, frozenset[str]]] = set()
    for branch in (*project.get(branches), *project.get(encoder_loops)):
        key = (branch.facts.id, branch.lone)
        if branch.lone and key not in judged:
            judged.add(key)
            yield site(project, branch.facts.id, branch.node, branch)


def pattern(node: cst.CSTNode) -> bool:
    """An `if`, statement or expression, a loop over what one chose before, or a call in one line with it."""
    return isinstance(node, (cst.If, cst.IfExp, cst.For, cst.Call))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    branch: Branch = site.data
    runs = _under_ddp(project, site)
    if not runs or batch_branches.in_loop(project, branch):
        return
    safe = batch_branches.in_step(project, branch) or _nothing_trains(project, branch)
    if safe:
        yield Dismissal(RULE.code, site.at, *safe)
    elif _may_lack(project, branch, runs):
        yield from _judged(project, site, branch)


def _judged(project: Project, site: Site, branch: Branch) -> Iterator[Finding | Dismissal]:
    verdict = weigh(project, site.function, lambda context: _judge(project, context, branch))
    entry = verdict.contexts[0].entry if verdict.contexts else None
    related = (*_runs(site, branch), *batch_branches.lacking(project, branch, entry)[1])
    if len(verdict.open) <= MOST_OPEN:
        yield conclude(RULE.code, site, verdict, _message(branch), branch.test, related, at=site.head)


def _under_ddp(project: Project, site: Site) -> list[Context]:
    """The runs under DDP that come there. Of other runs MM201 speaks."""
    return [
        c
        for c in project.contexts
        if c.strategy is Strategy.DDP and c.entry and site.function in project.reach(c.entry)
    ]


def _may_lack(project: Project, branch: Branch, runs: list[Context]) -> bool:
    """Does the data of a run leave the modality out of a sample? Where nothing shows it nothing is said."""
    return any(not batch_branches.lacking(project, branch, run.entry)[0] for run in runs)


def _calls(branch: Branch) -> list[ModuleCall]:
    """What only one side runs."""
    return [c for c in (*branch.true, *branch.false) if c.modules & branch.lone]


def _nothing_trains(project: Project, branch: Branch) -> batch_branches.Reason | None:
    """Without gradients, or frozen: DDP does not wait for parameters that do not train."""
    path, calls = branch.facts.path, _calls(branch)
    if all(without_gradients(project, c.call, branch.frame) for c in calls):
        note = Note(Place(path, calls[0].call.lineno), "runs without gradients")
        return "what one side runs has no gradients", (note,)
    frozen = module_freezes(project, branch.lone)
    if branch.lone <= {f.module for f in frozen if f.always}:
        notes = tuple(Note(f.at, f"freezes `{f.module}`") for f in frozen if f.module in branch.lone)
        return "the modules are frozen", notes
    return None


def _judge(project: Project, context: Context, branch: Branch) -> Answer:
    """Cheap questions come first."""
    ddp = runs_with(project, context, (Strategy.DDP,))
    if isinstance(ddp, Excluded) or context.strategy is not Strategy.DDP:
        return ddp
    answer = both(every_parameter.needs_every(project, context), ddp)
    missing, _ = batch_branches.lacking(project, branch, context.entry)
    answer = doubted(answer, missing, plausible=False)
    for frozen in _may_freeze(project, branch):
        answer = doubted(answer, f"whether `{frozen.module}` is trained, which {frozen.at} may freeze", False)
    if uses_trl(project, context):
        answer = doubted(answer, "what the trainer of trl does itself", plausible=False)
    return grouped(answer, context)


def _may_freeze(project: Project, branch: Branch) -> list[ModuleFreeze]:
    """What leaves none of the modules that surely trains."""
    found = module_freezes(project, branch.lone)
    named = {f.module for f in found}
    if branch.lone <= named or named - branch.lone:
        return found[:1]
    return freezes_inside(project, module_classes(project, _calls(branch), branch.frame))[:1]


def _runs(site: Site, branch: Branch) -> tuple[Note, ...]:
    return tuple(
        Note(Place(site.path, c.call.lineno), f"runs {', '.join(sorted(c.modules))}")
        for c in _calls(branch)[:3]
    )


def _message(branch: Branch) -> str:
    names = ", ".join(f"{'a part of ' * (m in branch.apart)}`{m}`" for m in sorted(branch.lone))
    true = any(c.modules & branch.lone for c in branch.true)
    test, side = branch.test, "does not hold" if true else "holds"
    return (
        f"The run stops one step after a rank's batch for which `{test}` {side}, with `Expected to have "
        f"finished reduction in the prior iteration`: DDP waits there for gradients of {names}, which did "
        "not run."
    )


RULE = Rule(
    code="MM202",
    name="ddp-modality-unused-params",
    summary="Under DDP a module that trains runs only when the batch has the modality",
    family="modality",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy", GROUPS, "ddp_find_unused_parameters"),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
