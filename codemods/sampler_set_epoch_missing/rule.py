"""MM409: a DistributedSampler that is never told the epoch shuffles every epoch alike."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    UNKNOWN,
    Answer,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Note,
    Place,
    Project,
    Rule,
    Settings,
    Severity,
    Site,
    Unclear,
    both,
    chosen_way,
    comes_by,
    conclude,
    reshuffled,
    samplers,
    several_ranks,
    site,
    told_epochs,
    weigh,
    wrappers,
)

from .codemod import fix


def trigger(project: Project) -> Iterator[Site]:
    """The samplers of what a loop of epochs trains on; one site for each."""
    seen = set()
    for found in project.get(samplers.epochs):
        at = (found.sampler.function, found.sampler.call.lineno, found.sampler.call.col_offset)
        if at not in seen and not found.sampler.spreads:
            seen.add(at)
            yield site(project, found.sampler.function, found.sampler.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: samplers.Epochs = site.data
    verdict = weigh(project, site.function, lambda context: _judge(project, context, found))
    path = found.function.partition("::")[0]
    loop = Place(path, found.epochs.lineno, found.epochs.col_offset + 1)
    notes = (Note(loop, "the loop over epochs"),)
    yield conclude(RULE.code, site, verdict, MESSAGE, ast.unparse(site.node), notes)


def _judge(project: Project, context: Context, found: samplers.Epochs) -> Answer:
    made = comes_by(project, context, found.sampler.function, found.sampler.call)
    trains = comes_by(project, context, found.function, found.epochs)
    if isinstance(made, Excluded) or isinstance(trains, Excluded):
        return made if isinstance(made, Excluded) else trains
    settings = Settings(project, context if context.entry else None)
    safe = _safe(project, context, settings, found)
    if isinstance(safe, Excluded):
        return safe
    answer = both(several_ranks(project, context), _epochs(project, settings, found))
    answer = both(answer, chosen_way(project, context, found.sampler.function, found.sampler.call))
    return both(answer, safe) if safe is not None else answer


def _safe(project: Project, context: Context, settings: Settings, found: samplers.Epochs) -> Answer | None:
    """What spares the run, else the first of what may."""
    may: Answer | None = None
    for answer in (
        _shuffles(project, settings, found),
        _prepared(project, found),
        told_epochs.told(project, context, found.sampler),
        reshuffled(project, context, found),
    ):
        if isinstance(answer, Excluded):
            return answer
        may = may or answer
    return may


def _shuffles(project: Project, settings: Settings, found: samplers.Epochs) -> Answer | None:
    """It shuffles unless it is told not to."""
    given = found.sampler.given("shuffle")
    if given is None:
        return None
    asked = samplers.as_asked(project, found.sampler, given)
    values = {s.value for s in settings.of(asked, found.sampler.function)}
    at = project.place(found.sampler.function.partition("::")[0], given)
    if values and not any(values):
        return Excluded(Note(at, "it does not shuffle: every epoch is alike on purpose"))
    return None if values <= {True} else Unclear(f"whether `{ast.unparse(given)}` is true", plausible=False)


def _prepared(project: Project, found: samplers.Epochs) -> Answer | None:
    """Loaders of accelerate tell their samplers the epoch."""
    if found.wrap is None:
        return None
    if found.wrap.by != wrappers.PREPARED:
        return Unclear(f"whether the loop goes over a loader of {found.wrap.by}", plausible=False)
    at = project.place(found.wrap.origin.function.partition("::")[0], found.wrap.origin.expr)
    return Excluded(Note(at, "what prepares the loader tells its sampler the epoch"))


def _epochs(project: Project, settings: Settings, found: samplers.Epochs) -> Answer:
    """Is there a second epoch?"""
    if isinstance(found.epochs, ast.While):
        return Fatal()
    ends = settings.origins(found.epochs.iter, found.function)
    calls = [o for o in ends if isinstance(o.expr, ast.Call) and o.expr.args]
    given = [s for o in calls for s in settings.of(o.expr.args[-1], o.function)]  # type: ignore[attr-defined]
    values = {s.value for s in given}
    if values and all(isinstance(v, (int, float)) and v <= 1 for v in values):
        loop = project.place(found.function.partition("::")[0], found.epochs.iter)
        told = min((s.at for s in given if s.given and s.at), default=loop)
        return Excluded(Note(told, "there is one epoch"))
    if not values or UNKNOWN in values:
        return Unclear("how many epochs the run makes", plausible=True)  # who writes the loop means several
    return Fatal()


MESSAGE = (
    "Nothing tells this sampler the epoch (`set_epoch`), so it gives every rank the same samples in the same "
    "order in each epoch: shuffling does nothing after the first one, and no error says so."
)

RULE = Rule(
    code="MM409",
    name="sampler-set-epoch-missing",
    summary="A DistributedSampler that is never told the epoch shuffles every epoch alike",
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
