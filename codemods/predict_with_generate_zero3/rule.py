"""MM513: an evaluation that generates text gathers every parameter for every token under ZeRO-3."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    ASKS_ZERO3,
    MISSING,
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Note,
    Option,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Strategy,
    Unclear,
    argument,
    config_answers,
    config_site,
    evaluation,
    refused,
)

KEY = "predict_with_generate"
TOGETHER = frozenset((KEY, ASKS_ZERO3))


def trigger(project: Project) -> Iterator[Site]:
    """Each place that asks for generation in an evaluation, with the runs that it decides."""
    found: dict[Place, list[Context]] = {}
    for context in (*project.contexts, *project.configured):
        option = _asked(project, context)
        if option.at is not None and option.value not in (MISSING, False):
            found.setdefault(option.at, []).append(context)
    for at, contexts in sorted(found.items(), key=lambda pair: pair[0]):
        yield config_site(at, contexts)


def _asked(project: Project, context: Context) -> Option:
    """The option of a launch or its configuration, else what the code gives its training arguments."""
    given = context.option(KEY)
    return given if given.at is not None or context.entry is None else argument(project, context, KEY)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    answers = [(c, a) for c in site.data if (a := _judge(project, c, site)) is not None]
    yield from config_answers.concluded(project, RULE.code, site.at, answers, _message, KEY)


def _judge(project: Project, context: Context, site: Site) -> Answer | None:
    """Does the run stop, or generate with parameters in shards? None where no Trainer evaluates."""
    if context.strategy is not Strategy.ZERO3:
        return _other(context)
    if context.entry is None or not _asked(project, context).known:
        return None
    stops = refused(project, context.entry, TOGETHER)
    if stops is not None:
        return Fatal(Note(stops, f"the code refuses {KEY} under ZeRO-3"))
    whole = evaluation.gathers(project, context.entry)
    if whole is not None:
        return Excluded(Note(whole, "whole parameters are gathered before it generates"))
    if not evaluation.generates(project, context.entry):
        return None
    if not evaluation.evaluates(project, context):
        return Excluded(Note(site.at, "nothing asks for an evaluation"))
    return Unclear("how long the generated texts are", plausible=False)


def _other(context: Context) -> Answer | None:
    at = context.strategy_from.at
    if context.strategy is Strategy.UNKNOWN or at is None:
        return None
    return Excluded(Note(at, f"the strategy here is {context.strategy.value}, which keeps parameters whole"))


def _message(context: Context, answer: Answer) -> str:
    runs = "These runs ask" if context.launcher else "A run with this configuration asks"
    both = f"{runs} for {KEY} under ZeRO-3"
    if isinstance(answer, Fatal) and answer.why:
        return f"{both}, which the code refuses with an exception at {answer.why.at}."
    return f"{both}: every token that an evaluation generates gathers all parameters from all ranks again."


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """What to give up, generation or stage 3, the tree does not say."""
    return Fix("evaluate by loss, or use ZeRO-2, or generate after training", Applicability.DISPLAY)


RULE = Rule(
    code="MM513",
    name="predict-with-generate-zero3",
    summary="predict_with_generate under ZeRO-3 stops at the start, or generates token by token from shards",
    family="launch",
    severity=Severity.WARNING,
    since="0.1.0",
    options=(KEY, "eval_strategy", "evaluation_strategy", "do_eval", "do_predict"),
    trigger=trigger,
    check=check,
    fix=fix,
)
