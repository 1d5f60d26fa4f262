"""MM115: under ZeRO-3, non-reentrant checkpointing fails on frozen parameters before DeepSpeed 0.19.3."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Note,
    Option,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Strategy,
    Unclear,
    both,
    checkpointing,
    comes_by,
    conclude,
    config_answers,
    config_site,
    deepspeed_gates,
    frozen_in,
    runs_with,
    trainer_runs,
    transformers_gates,
    uses_trl,
    versions,
    weigh,
)

from .codemod import fix

KEEPS_SHAPE = deepspeed_gates.TORCH_SAVES_FROZEN
MENDED = deepspeed_gates.RECOMPUTES_FROZEN
NON_REENTRANT = transformers_gates.NON_REENTRANT
TAKEN = "4.35.0"  # transformers: gradient_checkpointing_kwargs are new
FORCED = "0.28.0"  # trl: SFTTrainer makes it reentrant for PEFT under ZeRO-3

Runs = list[tuple[Context, Option]]
Where = tuple[str, ast.AST | None]  # function and place


def trigger(project: Project) -> Iterator[Site]:
    """Where checkpointing is told whether to be reentrant, and where it is switched on without a word."""
    every = (*project.contexts, *project.configured)
    if not any(context.strategy is Strategy.ZERO3 for context in every):
        return
    for found in project.get(checkpointing.written):
        yield _site(project, found.function, found.value, found)
    if any(_known(context) for context in every):
        for function, call in project.get(checkpointing.enabling):
            yield _site(project, function, call, call)
    yield from _launched(project)


def _known(context: Context) -> bool:
    """Does the tree say which way transformers turns by default?"""
    return versions.below(context, "transformers", NON_REENTRANT) is not None


def _site(project: Project, function: str, node: ast.expr, data: object) -> Site:
    path = function.partition("::")[0]
    return Site(path, project.place(path, node), function=function, node=node, data=data)


def _launched(project: Project) -> Iterator[Site]:
    """What launches say themselves; those of one entry that say nothing are one cause."""
    told: dict[Place, Runs] = {}
    silent: dict[object, Runs] = {}
    for context in (*project.contexts, *project.configured):
        said = checkpointing.in_launch(context)
        if said is not None and said[0].at is not None:
            told.setdefault(said[0].at, []).append((context, said[0]))
        elif said is None and _left_open(project, context):
            silent.setdefault(context.entry, []).append((context, context.option(checkpointing.ON)))
    for runs in (*told.values(), *silent.values()):
        first = next((o.at for c, o in runs if c.strategy is Strategy.ZERO3), None) or runs[0][1].at
        if first is not None:
            yield config_site(first, runs)


def _left_open(project: Project, context: Context) -> bool:
    on = context.option(checkpointing.ON)
    if on.value is not True or not _known(context) or not trainer_runs(project, context):
        return False
    reach = project.reach(context.entry) if context.entry else ()
    return not any(found.function in reach for found in project.get(checkpointing.written))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, list):
        yield from _of_launches(project, site)
    elif isinstance(site.data, ast.Call):
        yield from _of_code(project, site, lambda c: both(_default(c), _comes(project, c, site)))
    elif any(_value(project, c, site.data) is False for c in _reaching(project, site)):
        if site.data.taker is checkpointing.Taker.OPEN:
            return  # nothing shows that it is meant for checkpointing
        yield from _of_code(project, site, lambda c: _told(project, c, site))
    elif all(_value(project, c, site.data) is True for c in _reaching(project, site)):
        note = Note(site.at, f"`{checkpointing.KEY}` is `{ast.unparse(site.node)}` here")
        yield Dismissal(RULE.code, site.at, "reentrant checkpointing is asked for", (note,))


def _reaching(project: Project, site: Site) -> list[Context | None]:
    """The runs that may come there; one without a launch when none is known to."""
    found: list[Context | None] = [
        c for c in project.contexts if c.entry and site.function in project.reach(c.entry)
    ]
    return found or [None]


def _value(project: Project, context: Context | None, found: checkpointing.Written) -> bool | None:
    return checkpointing.reentrant(project, context, found)


def _of_code(project: Project, site: Site, on: Callable[[Context], Answer]) -> Iterator[Finding | Dismissal]:
    verdict = weigh(project, site.function, lambda context: _judge(project, context, on, _place(site)))
    related = (
        tuple(_related(project, verdict.contexts[0], _place(site)))
        if verdict.contexts and verdict.severity
        else ()
    )
    related = tuple(n for n in related if n not in verdict.related)
    yield conclude(RULE.code, site, verdict, MESSAGE, f"{site.symbol}: {ast.unparse(site.node)}", related)


def _of_launches(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    here: list[tuple[Context, Answer]] = []  # a run that is safe says so at its own line
    for context, option in site.data:
        answer = _judge(project, context, lambda c: _of_flag(project, c))
        if isinstance(answer, Excluded) and option.at is not None and option.at != site.at:
            yield Dismissal(RULE.code, option.at, answer.why.note, (answer.why,), (context.id,))
        else:
            here.append((context, answer))
    yield from config_answers.concluded(
        project, RULE.code, site.at, here, lambda c, a: MESSAGE, checkpointing.ON
    )


def _place(site: Site) -> Where:
    """Where the model itself is told to checkpoint: what the run freezes must be on its side of the tests.
    Arguments are made anywhere."""
    of_model = isinstance(site.data, ast.Call) or site.data.taker is checkpointing.Taker.MODEL
    return (site.function, site.node) if of_model else ("", None)


def _judge(
    project: Project, context: Context, on: Callable[[Context], Answer], where: Where = ("", None)
) -> Answer:
    """Does recomputation meet a frozen parameter that is partitioned again? Cheap questions come first."""
    questions: tuple[Callable[[], Answer], ...] = (
        lambda: runs_with(project, context, (Strategy.ZERO3,)),
        lambda: _versions(context),
        lambda: on(context),
        lambda: _trl(project, context),
        lambda: _frozen(project, context, where),
    )
    answer: Answer = Fatal()
    for ask in questions:
        answer = answer if isinstance(answer, Excluded) else both(answer, ask())
    return answer


def _frozen(project: Project, context: Context, where: Where) -> Answer:
    """What a run freezes there."""
    return frozen_in(project, context, *where)


def _deepspeed(context: Context) -> Answer:
    old = versions.below(context, "deepspeed", MENDED)
    if old is False:
        return Excluded(_pin(context, "deepspeed", f", {MENDED} or later: the failure is mended"))
    if old is None and context.entry is not None:
        either = versions.contradiction(context, "deepspeed")
        fact = f"the deepspeed version{either}: {MENDED} mends it"
        return Unclear(fact, plausible=True)  # most runs are of an older release
    return Fatal()


def _versions(context: Context) -> Answer:
    """Both libraries in one fact: runs whose tree pins an old torch, which keeps the shape of what it
    recomputes, have died all the same, so the pin was not what ran. Their trees asked for no certain
    deepspeed; one that does tells what runs, and there an old torch makes it a note."""
    answer = _deepspeed(context)
    old = context.entry is not None and versions.below(context, "torch", KEEPS_SHAPE)
    if isinstance(answer, Excluded) or not old:
        return answer
    pinned = versions.stated(context.dependencies["torch"])
    torch = f"the torch that runs, as recomputation before {KEEPS_SHAPE} ({pinned}) keeps the shapes"
    fact = f"{answer.fact}, and {torch}" if isinstance(answer, Unclear) else torch
    asked = context.dependencies.get("deepspeed")
    return Unclear(fact, plausible=asked is None or not asked.spec)


def _pin(context: Context, package: str, note: str) -> Note:
    begins = context.begins or Place(next(iter(context.configs), ""), 1)
    return versions.pinned(context, package, note) or Note(begins, f"{package}{note}")


def _told(project: Project, context: Context, site: Site) -> Answer:
    """The key is off in this run, and what it is given to checkpoints."""
    if _value(project, context if context.entry else None, site.data) is not False:
        return Excluded(Note(site.at, f"`{ast.unparse(site.node)}` is not off in this run"))
    if versions.below(context, "transformers", TAKEN):
        return Excluded(_pin(context, "transformers", f", which takes no {checkpointing.KWARGS} yet"))
    return both(checkpointing.switched_on(project, context, site.data), _comes(project, context, site))


def _comes(project: Project, context: Context, site: Site) -> Answer:
    return Fatal() if context.entry is None else comes_by(project, context, site.function, site.node)


def _of_flag(project: Project, context: Context) -> Answer:
    """Checkpointing by the Trainer's flag."""
    said = checkpointing.in_launch(context)
    if said is not None:
        at = said[0].at or Place("", 1)
        on = checkpointing.switch(project, context)
        if said[1]:
            return Excluded(Note(at, "reentrant checkpointing is asked for"))
        return Fatal() if on.value is True else Unclear("whether checkpointing is on", plausible=False)
    return _default(context)


def _default(context: Context) -> Answer:
    """What transformers does when it is told nothing."""
    old = versions.below(context, "transformers", NON_REENTRANT)
    if old:
        return Excluded(_pin(context, "transformers", f", reentrant by default (until {NON_REENTRANT})"))
    if old is None:
        return Unclear(
            f"the transformers version: non-reentrant by default from {NON_REENTRANT}", plausible=False
        )
    return Fatal()


def _trl(project: Project, context: Context) -> Answer:
    """TRL's trainers choose for PEFT under ZeRO-3 themselves, the one for SFT first."""
    if not uses_trl(project, context) or versions.below(context, "trl", FORCED):
        return Fatal()
    return Unclear(f"the trainer: trl makes it reentrant itself from {FORCED}", plausible=False)


def _related(project: Project, context: Context, where: Where) -> Iterator[Note]:
    """What is frozen, and the line that switches checkpointing on."""
    frozen = frozen_in(project, context, *where)
    if isinstance(frozen, Fatal) and frozen.why:
        yield frozen.why
    on = context.option(checkpointing.ON)
    if on.at is not None and on.value is True:
        yield Note(on.at, f"{checkpointing.ON} is on")


MESSAGE = (
    "The first backward pass dies with `CheckpointError: Recomputed values ... have different metadata` and "
    "shape [0]: under ZeRO-3, non-reentrant checkpointing holds on to frozen parameters, and DeepSpeed "
    f"before {MENDED} frees them in place when it computes the layers again."
)

RULE = Rule(
    code="MM115",
    name="zero3-peft-nonreentrant-checkpoint",
    summary="Non-reentrant checkpointing fails on frozen parameters under ZeRO-3 before DeepSpeed 0.19.3",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy", checkpointing.ON, checkpointing.KWARGS),
    trigger=trigger,
    check=check,
    fix=fix,
)
