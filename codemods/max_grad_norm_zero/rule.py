"""MM304: a max_grad_norm of zero or below switches the Trainer's gradient clipping off."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.api import (
    AUTO,
    MISSING,
    Answer,
    Applicability,
    Confidence,
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
    config_site,
    constructed_with,
    deepspeed_gates,
    launch_steps,
    parses_training_arguments,
    trainer_runs,
    versions,
)

NORM = "max_grad_norm"
KEY = "deepspeed.gradient_clipping"
DEFAULT_CHANGED = deepspeed_gates.CLIPS_BY_DEFAULT  # without the key, DeepSpeed clips at 1.0 from then on

Found = tuple[Place, Context, object]


def trigger(project: Project) -> Iterator[Site]:
    """Every place that gives the Trainer such a number, with the runs that it counts in."""
    places: dict[Place, list[tuple[Context, object]]] = {}
    for at, context, value in (*_launched(project), *_written(project)):
        places.setdefault(at, []).append((context, value))
    for at in sorted(places):
        yield config_site(at, places[at])


def _launched(project: Project) -> Iterator[Found]:
    for context in (*project.contexts, *project.configured):
        option = context.option(NORM)
        if option.at is not None and _is_off(option.value) and _fills(project, context):
            yield option.at, context, option.value


def _fills(project: Project, context: Context) -> bool:
    return trainer_runs(project, context) and parses_training_arguments(project, context)


def _written(project: Project) -> Iterator[Found]:
    for function, value in constructed_with(project, NORM):
        if isinstance(number := _constant(value), (int, float)) and _is_off(number):
            at = project.place(function.partition("::")[0], value)
            for context in project.contexts:
                if (
                    trainer_runs(project, context)
                    and context.entry
                    and function in project.reach(context.entry)
                ):
                    yield at, context, number


def _constant(value: ast.expr) -> object:
    try:
        return ast.literal_eval(value)
    except ValueError:
        return None


def _is_off(value: object) -> bool:
    """transformers trainer.py: clips where `max_grad_norm is not None and max_grad_norm > 0`."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value <= 0


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    answers = [(c, v, _judge(c)) for c, v in site.data]
    off = [(c, v) for c, v, a in answers if not isinstance(a, Excluded)]
    if not off:
        notes = tuple(dict.fromkeys(a.why for _, _, a in answers if isinstance(a, Excluded)))
        yield Dismissal(RULE.code, site.at, notes[0].note, notes[:3], tuple(c.id for c, _, _ in answers))
        return
    context, value = off[0]
    yield Finding(
        RULE.code,
        site.at,
        f"These runs train without gradient clipping: {NORM} is {value}, at which the Trainer does not clip.",
        Severity.INFO,
        Confidence.EXACT,
        contexts=tuple(c.id for c, _ in off),
        trace=tuple(launch_steps(context)),
        anchor=f"{NORM}={value}",
    )


def _judge(context: Context) -> Answer:
    """Does nothing else clip? Under DeepSpeed it is DeepSpeed that does, by its own number."""
    key: Option = context.option(KEY)
    if key.at is not None and key.value is not AUTO and not _is_off(key.value):
        return Excluded(Note(key.at, "DeepSpeed clips by its own number"))
    named = context.option("deepspeed").at is not None
    if named and key.value is MISSING and versions.below(context, "deepspeed", DEFAULT_CHANGED) is False:
        pin = versions.pinned(context, "deepspeed", ", which clips at 1.0 without gradient_clipping")
        return Excluded(pin) if pin else Fatal()
    return Fatal()


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Nothing is written: somebody asked for it."""
    return Fix(f"leave {NORM} out: its default is 1.0", Applicability.DISPLAY)


RULE = Rule(
    code="MM304",
    name="max-grad-norm-zero",
    summary="A max_grad_norm of zero or below switches the Trainer's gradient clipping off",
    family="numerics",
    severity=Severity.INFO,
    since="0.1.0",
    options=(NORM, KEY),
    trigger=trigger,
    check=check,
    fix=fix,
)
