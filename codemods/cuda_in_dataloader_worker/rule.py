"""MM413: the worker processes of a DataLoader use the GPU, which a forked process cannot."""

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
    Project,
    Rule,
    Settings,
    Severity,
    Site,
    Unclear,
    both,
    comes_to,
    conclude,
    site,
    spawned,
    weigh,
    worker_code,
)

STARTS = "multiprocessing_context"
SETS = "set_start_method"
FORKS = "fork"


def trigger(project: Project) -> Iterator[Site]:
    """The places in the code of workers that use the GPU."""
    for found in project.get(worker_code.touches):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: worker_code.Touch = site.data
    first = found.loaders[0]
    verdict = weigh(project, first.function, lambda context: _judge(project, context, found))
    message = (
        f"`{ast.unparse(found.call)}` runs in the worker processes of a DataLoader: they are forked from a "
        "process that uses the GPU, and CUDA cannot start again in a fork."
    )
    at = project.place(first.function.partition("::")[0], first.call)
    yield conclude(
        RULE.code, site, verdict, message, ast.unparse(site.node), (Note(at, "the loader has workers"),)
    )


def _judge(project: Project, context: Context, found: worker_code.Touch) -> Answer:
    reach = project.reach(context.entry) if context.entry else None
    here = [loader for loader in found.loaders if reach is None or loader.function in reach]
    answers = [_of(project, context, loader) for loader in here or found.loaders]
    order = (Fatal, Unclear, Excluded)
    worst = min(answers, key=lambda a: order.index(type(a)))
    forked = both(_forks(project, context), _parent(project, context, found))
    return both(both(worst, forked), comes_to(project, context, found.function, found.call))


def _of(project: Project, context: Context, loader: worker_code.Loader) -> Answer:
    """Does this loader have workers that are forked?"""
    settings = Settings(project, context if context.entry else None)
    number = loader.given("num_workers")
    values = {s.value for s in settings.of(number, loader.function)} if number is not None else {0}
    path = loader.function.partition("::")[0]
    if values == {0}:
        return Excluded(Note(project.place(path, loader.call), "the loader has no workers"))
    started = loader.given(STARTS)
    if started is not None and {s.value for s in settings.of(started, loader.function)} != {FORKS}:
        return Excluded(Note(project.place(path, started), "the workers are not forked"))
    spawns = spawned(project, context.entry, loader.function) if context.entry and started is None else None
    if spawns is not None and not _asks_for_forks(project, context):
        return Excluded(Note(spawns, "spawns the process, whose own workers are then spawned, too"))
    positive = all(isinstance(v, int) and v > 0 for v in values)
    return Fatal() if positive else Unclear("how many workers the loader has", plausible=False)


def _forks(project: Project, context: Context) -> Answer:
    """Linux forks, unless the run says otherwise."""
    reach = project.reach(context.entry) if context.entry else None
    for facts in project.mentioning(SETS):
        for call in project.calls_of(facts.id, (SETS,)) if reach is None or facts.id in reach else ():
            if not any(getattr(a, "value", "") == FORKS for a in call.args):
                return Excluded(Note(project.place(facts.path, call), "the run does not fork"))
    return Fatal()


def _asks_for_forks(project: Project, context: Context) -> bool:
    """Does the run name "fork" where it sets a start method?"""
    reach = project.reach(context.entry) if context.entry else ()
    calls = (c for f in project.mentioning(SETS) if f.id in reach for c in project.calls_of(f.id, (SETS,)))
    return any(getattr(a, "value", "") == FORKS for call in calls for a in call.args)


def _parent(project: Project, context: Context, found: worker_code.Touch) -> Answer:
    """Does the run use the GPU elsewhere? Nothing is started again otherwise."""
    reach = project.reach(context.entry) if context.entry else None
    for facts in project.mentioning(".cuda(", ".to(", "set_device"):
        if facts.id == found.function or (reach is not None and facts.id not in reach):
            continue
        if next(worker_code.uses_gpu(project, facts.id), None) or project.calls_of(facts.id, ("set_device",)):
            return Fatal()
    return Unclear("whether the process uses the GPU before the workers start", plausible=False)


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Shown only: the loop that draws the batch has to move it."""
    return Fix("return CPU tensors, and move the batch in the loop that draws it", Applicability.DISPLAY, ())


RULE = Rule(
    code="MM413",
    name="cuda-in-dataloader-worker",
    summary="The worker processes of a DataLoader use the GPU, which a forked process cannot",
    family="collectives",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
