"""MM303: the Trainer's max_grad_norm is ignored when a DeepSpeed configuration has no gradient_clipping."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mmcodemod.api import (
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
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Step,
    Unclear,
    both,
    code_dictionaries,
    config_answers,
    config_site,
    configs,
    deepspeed_gates,
    launch_steps,
    loudness,
    made_by_accelerate,
    never_steps,
    optim_clips_itself,
    own_ranks,
    private_gradients,
    set_in_code,
    trainer_runs,
    versions,
)

from .codemod import added

KEY = "gradient_clipping"
ADAFACTORS = ("transformers.Adafactor", "transformers.optimization.Adafactor", "torch.optim.Adafactor")
DEFAULT_CHANGED = deepspeed_gates.CLIPS_BY_DEFAULT  # from 0.0 to 1.0
NO_LIMIT = 1e6  # a norm that is written to clip nothing


def trigger(project: Project) -> Iterator[Site]:
    """Every DeepSpeed configuration of the tree."""
    for path, document in sorted(project.get(configs.parsed).items()):
        root = document.root
        if root is not None and root.kind == "object":
            line, column = root.end
            end = Place(path, line, max(column - 1, 1), line, column)
            yield config_site(end, root)
    for _, at in set_in_code(project, KEY):
        yield config_site(at)
    for at, contexts in sorted(made_by_accelerate(project).items()):
        yield config_site(at, contexts)
    for at, contexts in sorted(project.get(code_dictionaries).items()):
        yield config_site(at, tuple(contexts))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if site.data is None:
        yield Dismissal(RULE.code, site.at, f'the code sets "{KEY}" itself', (Note(site.at, "set here"),))
        return
    if isinstance(site.data, list):
        yield from _made_by_accelerate(project, site)
        return
    if isinstance(site.data, tuple):
        yield from _written_in_code(project, site)
        return
    member = site.data.member(KEY)
    if member is not None:
        yield _set_here(site, member)
        return
    answers = config_answers.answered(project, site.path, lambda context: _judge(project, context))
    fatal = [(c, a) for c, a in answers if not isinstance(a, Excluded)]
    if fatal:
        yield _finding(project, site, fatal)
    elif answers:
        notes = tuple(dict.fromkeys(a.why for _, a in answers if isinstance(a, Excluded)))
        yield Dismissal(RULE.code, site.at, notes[0].note, notes, tuple(c.id for c, _ in answers))


def _set_here(site: Site, member: object) -> Dismissal:
    line, column = member.key_start  # type: ignore[attr-defined]
    at = Place(site.path, line, column, *member.node.end)  # type: ignore[attr-defined]
    written = f'"{KEY}": {member.node.raw or member.node.value}'  # type: ignore[attr-defined]
    return Dismissal(RULE.code, at, f"{written} is set", (Note(at, written),))


def _made_by_accelerate(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    """Accelerate's own file without the key, in the releases that write none into what DeepSpeed gets."""
    old = [c for c in site.data if versions.below(c, "accelerate", deepspeed_gates.ACCELERATE_ASKS_TO_CLIP)]
    answers = [(c, a) for c in old if (a := _of_own_file(project, c)) is not None]
    yield from config_answers.concluded(
        project, RULE.code, site.at, answers, _own_message, f"no {KEY}", lambda _: Severity.WARNING
    )


def _written_in_code(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    """A dictionary of the code without the key, judged as a file is."""
    bare = [c for c in site.data if c.option(f"deepspeed.{KEY}").at is None]
    answers = [(c, _judge(project, c)) for c in bare]

    def message(context: Context, answer: Answer) -> str:
        return _message(answer, context, _asked(project, context))

    yield from config_answers.concluded(project, RULE.code, site.at, answers, message, f"no {KEY}")


def _of_own_file(project: Project, context: Context) -> Answer | None:
    """None where nobody asks for clipping, or the code may say how."""
    given = next((o.at for n, o in sorted(context.options.items()) if n.endswith(f".{KEY}") and o.at), None)
    if given is not None:
        return Excluded(Note(given, f"{KEY} is set"))
    reach = project.reach(context.entry) if context.entry else ()
    if any(facts.id in reach for facts in project.mentioning(KEY)):
        return None
    asks = any(facts.id in reach for facts in project.mentioning(".clip_grad_norm_("))
    answer = _judge(project, context) if asks or trainer_runs(project, context) else None
    return replace(answer, plausible=False) if isinstance(answer, Unclear) else answer


def _own_message(context: Context, answer: Answer) -> str:
    accelerate = context.dependencies["accelerate"]
    return (
        f"These runs train without gradient clipping: {versions.stated(accelerate)} gives DeepSpeed no "
        f'"{KEY}" where its own file has none, and under DeepSpeed `accelerator.clip_grad_norm_` and '
        "the Trainer leave clipping to it."
    )


def _means_none(limit: object) -> bool:
    """Does a value of max_grad_norm stand for no clipping: zero, -1, or more than gradients come to?"""
    return isinstance(limit, (int, float)) and (limit in (0, -1) or limit >= NO_LIMIT)


def _judge(project: Project, context: Context) -> Answer:
    """Does a run with this configuration train unclipped although clipping is asked for? The Trainer makes no
    engine where nothing tells the process its rank (accelerate/state.py, `PartialState`, 0.22 to 0.34)."""
    answer = _unclipped(project, context)
    plain = context.launched_by == "python" and context.launcher is not None
    if not plain or isinstance(answer, Excluded) or not project.uses("transformers.Trainer", context.entry):
        return answer
    fact = "whether something outside the tree tells this process of plain Python its rank"
    return answer if own_ranks.told_rank(project, context) else both(answer, Unclear(fact, plausible=False))


def _unclipped(project: Project, context: Context) -> Answer:
    stop = never_steps(project, context)
    if stop is not None:
        return Excluded(stop)
    for function, at in set_in_code(project, KEY):
        if context.entry is None or function in project.reach(context.entry):
            return Excluded(Note(at, f'the code sets "{KEY}" itself'))
    bounded = _bounds_itself(project, context) or private_gradients(project, context)
    if bounded is not None:
        return bounded
    norm = context.option("max_grad_norm")
    old = versions.below(context, "deepspeed", DEFAULT_CHANGED)
    if _means_none(norm.value) and norm.at is not None and old is not False:
        return Excluded(Note(norm.at, "max_grad_norm switches clipping off on purpose"))
    if old is None:
        asked = _has_resolver(project, context)  # without the Trainer nobody has asked for clipping
        required = f"the deepspeed version{versions.contradiction(context, 'deepspeed')}"
        return Unclear(f"{required}: before {DEFAULT_CHANGED} the default is 0.0, from then on 1.0", asked)
    if old is False:
        return _clipped_at_one(project, context)
    return Fatal(
        versions.pinned(context, "deepspeed", f", whose default is 0.0 (1.0 since {DEFAULT_CHANGED})")
    )


def _bounds_itself(project: Project, context: Context) -> Answer | None:
    """An optimizer whose update does not grow with the gradient needs no clipping."""
    optim = context.option("optim")
    if optim.at is not None and optim_clips_itself(optim.value):
        return Excluded(Note(optim.at, f"{optim.value} bounds its own update"))
    for name in ADAFACTORS:
        if project.calls_library(name, context.entry):
            return Unclear(f"whether {name}, which bounds its own update, is the optimizer", plausible=False)
    return None


def _clipped_at_one(project: Project, context: Context) -> Answer:
    """The default of a new DeepSpeed: it matters only to a Trainer that asks for another number."""
    norm = context.option("max_grad_norm")
    asks = norm.value not in (MISSING, 1, 1.0) or any(project.mentioning("max_grad_norm"))
    pin = versions.pinned(context, "deepspeed", f", {DEFAULT_CHANGED} or later: its default of 1.0 applies")
    if pin and not asks:
        return Excluded(pin)
    return Unclear(f"deepspeed is {DEFAULT_CHANGED} or later: its default of 1.0 applies", plausible=False)


def _finding(project: Project, site: Site, fatal: Sequence[tuple[Context, Answer]]) -> Finding:
    severity, loudest = loudness(fatal)
    contexts = [c for c, _ in loudest]
    context, answer = loudest[0]
    return Finding(
        RULE.code,
        site.at,
        _message(answer, context, _asked(project, context)),
        severity,
        Confidence.EXACT if isinstance(answer, Fatal) else Confidence.INFERRED,
        contexts=tuple(c.id for c in contexts),
        trace=_trace(context, answer),
        anchor=f"no {KEY}",
    )


def _asked(project: Project, context: Context) -> str:
    """Who asks for clipping in vain: the Trainer, or a script that reads an argument of the same name."""
    entry = context.entry
    if not _has_resolver(project, context):
        return ""
    own = entry is not None and not entry.library and project.trains(entry)
    if not own or project.uses("transformers.Trainer", entry):
        return "HF's"
    reads = any(f.id in project.reach(entry) for f in project.mentioning("max_grad_norm")) if entry else False
    return "the script's own" if reads else ""


def _message(answer: Answer, context: Context, asked: str) -> str:
    norm = context.option("max_grad_norm")
    default = "=1.0" if asked == "HF's" else ""  # what a script takes by itself is not looked up
    value = default if norm.value is MISSING else f"={norm.value}" if norm.known else ""
    why = (
        f"{asked} max_grad_norm{value} is not applied when"
        if asked
        else "DeepSpeed clips only by its own key, and"
    )
    text = f'{why} "{KEY}" is missing from the DeepSpeed configuration.'
    if isinstance(answer, Unclear) and "later" in answer.fact:
        return f"{text} Here {answer.fact}."
    if isinstance(answer, Unclear) and not versions.one_below(context, "deepspeed", DEFAULT_CHANGED):
        clips = "these runs clip" if context.launcher else "a run with it clips"
        return f"{text} Whether {clips} depends on {answer.fact}."
    runs = "These runs train" if context.launcher else "A run with this configuration trains"
    text = f"{runs} without gradient clipping: {text}"
    return f"{text} This depends on {answer.fact}." if isinstance(answer, Unclear) else text


def _trace(context: Context, answer: Answer) -> tuple[Step, ...]:
    steps = list(launch_steps(context))
    if isinstance(answer, Fatal) and answer.why:
        steps.append(Step(answer.why.at, answer.why.note))
    return tuple(steps)


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Add the key: "auto" where the Trainer or Accelerate fills it in, 1.0 where nothing does."""
    if isinstance(site.data, list):
        return Fix(f"add {KEY}: 1.0 to deepspeed_config", Applicability.DISPLAY)
    if isinstance(site.data, tuple):
        value = "auto" if any(_has_resolver(project, c) for c in site.data) else 1.0
        return Fix(f'add "{KEY}": {json.dumps(value)} to the dictionary', Applicability.DISPLAY)
    contexts = configs.users(project, site.path)
    value = "auto" if any(_has_resolver(project, c) for c in contexts) else 1.0
    edits = added(project.index.text(site.path), site.path, KEY, value)
    return Fix(f'add "{KEY}": {json.dumps(value)}', Applicability.SAFE, edits) if edits else None


def _has_resolver(project: Project, context: Context) -> bool:
    """Does HF code load the configuration? "auto" means nothing to `deepspeed.initialize`."""
    entry = context.entry if context.entry and project.trains(context.entry) else None
    raw = project.calls_library("deepspeed.initialize", entry)
    return not raw or project.uses("transformers.Trainer", entry)


RULE = Rule(
    code="MM303",
    name="ds-gradient-clipping-absent",
    summary="A DeepSpeed configuration without gradient_clipping trains unclipped under the HF Trainer",
    family="numerics",
    severity=Severity.WARNING,
    since="0.1.0",
    options=("max_grad_norm", "deepspeed.gradient_clipping"),
    trigger=trigger,
    check=check,
    fix=fix,
)
