"""MM306: fp16 and bf16 are both switched on, and DeepSpeed or the Trainer stops at the start."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from mmcodemod.api import (
    SWITCHES,
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    JsonMember,
    JsonNode,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    config_answers,
    config_site,
    configs,
    dies_untold,
    member_place,
    precision_asked,
    set_by_own_words,
    users_of,
)

# DeepSpeed reads "bfloat16" when there is no "bf16" (deepspeed/runtime/precision_config.py).
HALF, BRAIN = "fp16.enabled", ("bf16.enabled", "bfloat16.enabled")
KEYS = ("fp16", "bf16", "bfloat16", "enabled")
# TrainingArguments refuses each pair (transformers/training_args.py, `__post_init__`).
Pair = tuple[str, str]
PAIRS: tuple[Pair, ...] = (("fp16", "bf16"), ("fp16_full_eval", "bf16_full_eval"))


def trigger(project: Project) -> Iterator[Site]:
    """DeepSpeed configurations that switch both on, and launches whose flags do."""
    for path, document in sorted(project.get(configs.parsed).items()):
        both = _both(document.root) if document.root else None
        if both is not None:
            yield config_site(member_place(path, both[0].key_start, both[0].node), document.root)
    for (at, pair), contexts in _flagged(project).items():
        yield config_site(at, (contexts, pair))


def _flagged(project: Project) -> dict[tuple[Place, Pair], list[Context]]:
    """The runs by the place that switches the first of a pair on, where the second is on as well."""
    found: dict[tuple[Place, Pair], list[Context]] = {}
    for context in (*project.contexts, *project.configured):
        for pair in PAIRS:
            at = context.option(pair[0]).at
            if at is not None and all(context.option(name).value is True for name in pair):
                found.setdefault((at, pair), []).append(context)
    return found


def _both(root: JsonNode) -> tuple[JsonMember, JsonMember] | None:
    """The members that switch fp16 and bf16 on, when both do."""
    half, brain = root.find(HALF), next((m for m in map(root.find, BRAIN) if m is not None), None)
    on = half is not None and brain is not None and half.node.value is True and brain.node.value is True
    return (half, brain) if on and half is not None and brain is not None else None


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, JsonNode):
        answers = config_answers.answered(project, site.path, partial(_judge, project, site))
    else:
        contexts, pair = site.data
        answers = [(context, _judge_flags(project, context, pair)) for context in contexts]

    def message(context: Context, answer: Answer) -> str:
        return _message(project, context, site)

    yield from config_answers.concluded(
        project, RULE.code, site.at, answers, message, "fp16 and bf16", ends=dies_untold
    )


def _judge(project: Project, site: Site, context: Context) -> Answer:
    """Does a run read the configuration as it stands?"""
    changed = config_answers.set_in_code(project, context.entry, *KEYS)
    if changed is not None:
        return Excluded(Note(changed, "the code chooses the precision itself"))
    both = _both(site.data)
    if both is None:
        return Fatal()
    other = member_place(site.path, both[1].key_start, both[1].node)
    return Fatal(Note(other, "bf16 is enabled as well"))


def _judge_flags(project: Project, context: Context, pair: Pair) -> Answer:
    """Are the flags those of the Trainer?"""
    other = context.option(pair[1]).at
    for added in filter(None, (set_by_own_words(project, context, name) for name in pair)):
        return Excluded(Note(added, "the code adds words to the command line, which have the last say"))
    if project.uses("transformers.Trainer", context.entry):
        return Fatal(Note(other, f"{pair[1]} is on as well") if other else None)
    at = context.launcher or other or Place(context.configs[0], 1)
    return Excluded(Note(at, f"no Trainer reads {pair[0]} and {pair[1]} of this run"))


def _message(project: Project, context: Context, site: Site) -> str:
    if not isinstance(site.data, JsonNode):
        half, brain = site.data[1]
        return (
            f"`{half}` and `{brain}` are both on: TrainingArguments raises ValueError "
            f'("At most one of fp16 and bf16 can be True"), and the run does not start.'
        )
    if config_answers.reader(project, context) is config_answers.Reader.HF:
        stops = "the Trainer or DeepSpeed, whichever looks first, stops at the start"
    else:
        stops = 'DeepSpeed stops at the start ("bfloat16 and fp16 modes cannot be simultaneously enabled")'
    return f'"fp16" and "bf16" are both enabled in this configuration: {stops}.'


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """The arguments of the Trainer decide where they ask for one of the two. Else only the hardware and the
    model say which is right: the edit is shown, not written."""
    both = _both(site.data) if isinstance(site.data, JsonNode) else None
    if both is None:
        return None
    if site.data.find(BRAIN[0]) is both[1] and _decided(project, site.path):
        edits = tuple(config_answers.replaced(site.path, member.node, '"auto"') for member in both)
        return Fix('set both to "auto": the arguments decide', Applicability.SAFE, edits)
    edit = config_answers.replaced(site.path, both[0].node, "false")
    title = 'keep one: switch "fp16" off, or "bf16" where the GPU has none or the model was trained in fp16'
    return Fix(title, Applicability.DISPLAY, (edit,))


def _decided(project: Project, path: str) -> bool:
    """Does the Trainer fill "auto" in for every run of the file, and ask its arguments for one of the two?"""
    users, others = users_of(project, path)
    asked = [{precision_asked(project, run, name).value for name in SWITCHES} for run in users]
    return bool(asked) and not others and all(answer == {True, False} for answer in asked)


RULE = Rule(
    code="MM306",
    name="fp16-and-bf16-enabled",
    summary="A run with fp16 and bf16 both switched on does not start",
    family="numerics",
    severity=Severity.ERROR,
    since="0.1.0",
    options=tuple(name for pair in PAIRS for name in pair),
    trigger=trigger,
    check=check,
    fix=fix,
)
