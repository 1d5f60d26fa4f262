"""MM512: the Trainer ignores lr_scheduler_type when the DeepSpeed configuration has a "scheduler"."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    MISSING,
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    JsonNode,
    Note,
    Option,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    config_answers,
    config_site,
    configs,
    member_place,
)

from .codemod import without

KEY, FLAG = "scheduler", "lr_scheduler_type"
# What DeepSpeed's schedules do after the warm-up (deepspeed/runtime/lr_schedules.py), and the names of the
# Trainer's schedules that do the same (Transformers, DeepSpeed guide, "Scheduler").
SHAPES = {
    "WarmupLR": "stays at its peak after the warm-up",
    "WarmupDecayLR": "falls along a line",
    "WarmupCosineLR": "falls along a cosine",
    "OneCycle": "goes up and down once",
    "LRRangeTest": "only rises",
}
SAME = {
    "WarmupLR": ("constant_with_warmup", "constant"),
    "WarmupDecayLR": ("linear", "polynomial"),  # of power 1, by default
    "WarmupCosineLR": ("cosine", "cosine_with_min_lr"),  # down to cos_min_ratio
}


def trigger(project: Project) -> Iterator[Site]:
    """Every DeepSpeed configuration of the tree that has a scheduler."""
    for path, document in sorted(project.get(configs.parsed).items()):
        member = document.root.member(KEY) if document.root else None
        if member is not None:
            yield config_site(member_place(path, member.key_start, member.node), document.root)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    kind = _kind(site.data)
    answers = _answers(project, site)

    def message(context: Context, answer: Answer) -> str:
        return _message(context, kind)

    yield from config_answers.concluded(project, RULE.code, site.at, answers, message, f"{KEY} {kind}")


def _kind(root: JsonNode) -> str:
    """The type of the schedule, "" when the block names none: then DeepSpeed makes none."""
    node = root.get(f"{KEY}.type")
    return node.value if node and isinstance(node.value, str) else ""


def _answers(project: Project, site: Site) -> config_answers.Answers:
    kind = _kind(site.data)
    return config_answers.answered(project, site.path, lambda c: _judge(project, c, site, kind))


def _judge(project: Project, context: Context, site: Site, kind: str) -> Answer:
    """Does a run with this configuration ask the Trainer for another schedule?"""
    asked = context.option(FLAG)
    if asked.value is MISSING:
        return Excluded(Note(site.at, f"no launch asks for another schedule: {FLAG} is not given"))
    if asked.at is not None and asked.value in SAME.get(kind, ()):
        return Excluded(Note(asked.at, f"{FLAG} {asked.value} is what {kind} does"))
    changed = config_answers.set_in_code(project, context.entry, KEY)
    if changed is not None:
        return Excluded(Note(changed, f'the code changes "{KEY}" itself'))
    return _asked_of(project, context, asked)


def _asked_of(project: Project, context: Context, asked: Option) -> Answer:
    """Who is asked for the schedule: only the Trainer prefers the configuration to its own flag."""
    if project.uses("transformers.Trainer", context.entry):
        if not asked.known:
            return Unclear(f"the value of {FLAG}", plausible=False)
        return Fatal(Note(asked.at, f"asks for {asked.value}, which is ignored") if asked.at else None)
    if config_answers.reader(project, context) is config_answers.Reader.DEEPSPEED and asked.at:
        return Excluded(Note(asked.at, f"no Trainer reads {FLAG}: the code makes its own use of it"))
    return Unclear(f"whether a Trainer reads {FLAG}", plausible=False)


def _message(context: Context, kind: str) -> str:
    asked = context.option(FLAG)
    wanted = f"{FLAG}={asked.value}" if asked.known else FLAG
    runs = "These runs ask" if context.launcher else "A run with this configuration asks"
    trains = f"DeepSpeed's {kind} decides" if kind else "DeepSpeed changes no learning rate at all"
    shape = f", which {SHAPES[kind]}" if kind in SHAPES else ""
    return f'{runs} for {wanted}, which the Trainer ignores beside a "{KEY}" of DeepSpeed: {trains}{shape}.'


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Take the block out, so that the flag decides. Shown only when another run of the file relies on it."""
    answers = _answers(project, site)
    alone = all(isinstance(answer, Fatal) for _, answer in answers)
    edits = without(project.index.text(site.path), site.path, KEY)
    if not edits:
        return None
    if alone:
        return Fix(f'remove "{KEY}", so that {FLAG} decides', Applicability.UNSAFE, edits)
    kept = next(c.id for c, a in answers if not isinstance(a, Fatal))
    title = f'give these runs a configuration without "{KEY}" ({kept} uses this one as well)'
    return Fix(title, Applicability.DISPLAY, edits)


RULE = Rule(
    code="MM512",
    name="ds-scheduler-overrides-args",
    summary='The Trainer ignores lr_scheduler_type when the DeepSpeed configuration has a "scheduler"',
    family="launch",
    severity=Severity.WARNING,
    since="0.1.0",
    options=(FLAG, f"deepspeed.{KEY}.type"),
    trigger=trigger,
    check=check,
    fix=fix,
)
