"""MM308: a model that was trained in bfloat16 goes on in fp16, whose numbers do not reach as far."""

from __future__ import annotations

import ast
import re
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
    Option,
    Place,
    Project,
    Rule,
    Settings,
    Severity,
    Site,
    bf16_family,
    config_answers,
    config_site,
    hf_loads,
    trainer_option,
    trainer_runs,
    without_bf16,
)

MODELS = ("model_name_or_path", "model", "model_id", "model_name", "model_path", "base_model")
# Switches of a launch besides the Trainer's own, and the value that means fp16.
SWITCHES = (("launcher.mixed_precision", "fp16"), ("accelerate.mixed_precision", "fp16"))
ENGINE = "deepspeed.fp16.enabled"
# GPUs without bfloat16, in the words of scripts: `--gres=gpu:v100:8`, "# for T4"
OLD_GPUS = re.compile(
    rb"(?<![A-Za-z0-9])(v100|t4|p100|p40|m40|k80|(rtx[ -]?)?20[678]0( ?ti)?|1080( ?ti)?|volta|turing)"
    rb"(?![A-Za-z0-9.])",
    re.IGNORECASE,
)

_TRAINS = ("backward", "train_batch")  # methods of DeepSpeed's engines

Run = tuple[Context, str]


def trigger(project: Project) -> Iterator[Site]:
    """Where runs of such a model switch fp16 on, and where they switch bf16 on."""
    found: dict[tuple[Place, bool], list[Run]] = {}
    for context in project.contexts:
        for option, half in _switched_on(project, context):
            model = _model(project, context) if option.at else ""
            if option.at is not None and bf16_family(model):
                found.setdefault((option.at, half), []).append((context, model))
    for (at, half), runs in found.items():
        yield config_site(at, (runs, half))


def _switched_on(project: Project, context: Context) -> Iterator[tuple[Option, bool]]:
    """The switches that are on: (where, is it fp16)."""
    if trainer_runs(project, context):
        for name in ("fp16", "bf16"):
            option = trainer_option(project, context, name)
            if option.value is True:
                yield option, name == "fp16"
        return
    for name, value in SWITCHES:
        if context.option(name).value == value:
            yield context.option(name), True
    if context.option(ENGINE).value is True:
        yield context.option(ENGINE), True


def _model(project: Project, context: Context) -> str:
    """The id or path of the model that a run trains, "" when it does not show."""
    given = [context.option(name).value for name in MODELS]
    named = next((value for value in given if isinstance(value, str)), "")
    return named or _loaded(project, context)


def _loaded(project: Project, context: Context) -> str:
    """What the one `from_pretrained` of a model in the run is given."""
    reach = project.reach(context.entry) if context.entry else None
    settings = Settings(project, context if context.entry else None)
    found = [
        {s.value for s in settings.of(first, facts.id)}
        for facts in project.mentioning(".from_pretrained(")
        if reach is not None and facts.id in reach
        for load in hf_loads(project, facts.id)
        if not load.weightless and (first := _first(load.call)) is not None
    ]
    only = found[0].pop() if len(found) == 1 and len(found[0]) == 1 else ""
    return only if isinstance(only, str) else ""


def _first(call: ast.Call) -> ast.expr | None:
    named = next((k.value for k in call.keywords if k.arg == "pretrained_model_name_or_path"), None)
    return call.args[0] if call.args else named


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    runs, half = site.data
    if not half:
        note = Note(site.at, f"`{runs[0][1]}` goes on in bfloat16")
        yield Dismissal(RULE.code, site.at, note.note, (note,), tuple(c.id for c, _ in runs))
        return
    asked = without_bf16(project, site.at)
    if asked is not None:
        ids = tuple(c.id for c, _ in runs)
        yield Dismissal(RULE.code, site.at, "fp16 only where the GPU has no bfloat16", (asked,), ids)
        return
    models = {context.id: model for context, model in runs}
    answers = [(context, _judge(project, context)) for context, _ in runs]
    yield from config_answers.concluded(
        project,
        RULE.code,
        site.at,
        answers,
        lambda c, a: _message(models[c.id]),
        "fp16",
        lambda _: Severity.WARNING,
    )


def _judge(project: Project, context: Context) -> Answer:
    """Is fp16 a choice, or all that the GPU has? Does the run train at all?"""
    if _only_answers(project, context):
        return Excluded(Note(context.begins or Place(context.id, 1), "the run makes no backward pass"))
    for path in dict.fromkeys(p for p in (context.launcher and context.launcher.path, *context.configs) if p):
        for number, line in enumerate(project.tree.read_bytes(path).splitlines(), 1):
            if OLD_GPUS.search(line):
                return Excluded(Note(Place(path, number), "the run is meant for a GPU without bfloat16"))
    return Fatal()


def _only_answers(project: Project, context: Context) -> bool:
    """Does the code make a DeepSpeed engine that it never trains: for generation, say?"""
    if trainer_runs(project, context) or not project.calls_library("deepspeed.initialize", context.entry):
        return False
    reach = project.reach(context.entry) if context.entry else ()
    passes = (f for f in project.mentioning(*(f".{name}(" for name in _TRAINS)) if f.id in reach)
    return not any(project.calls_of(facts.id, _TRAINS) for facts in passes)


def _message(model: str) -> str:
    return (
        f"`{model}` ({bf16_family(model)}) was trained in bfloat16, and this run goes on in fp16: "
        "activations beyond 65504 become infinite, so that steps are skipped while the loss scale falls, or "
        "the loss is NaN."
    )


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Which GPU runs it only its owner knows."""
    title = "train in bf16, or in fp32 where the GPU has none"
    return Fix(title, Applicability.DISPLAY)


RULE = Rule(
    code="MM308",
    name="fp16-on-bf16-pretrained",
    summary="A model that was trained in bfloat16 goes on in fp16",
    family="numerics",
    severity=Severity.INFO,
    since="0.1.0",
    options=("fp16", "bf16", *MODELS, ENGINE, *(name for name, _ in SWITCHES)),
    trigger=trigger,
    check=check,
    fix=fix,
)
