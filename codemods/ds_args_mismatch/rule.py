"""MM502: a number in a DeepSpeed configuration that differs from the training argument stops the Trainer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from mmcodemod.api import (
    MISSING,
    UNKNOWN,
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
    argument,
    config_answers,
    config_site,
    configs,
    deepspeed_gates,
    member_place,
    ranks,
    users_of,
    versions,
)

from .codemod import filled_in

# transformers integrations/deepspeed.py, `trainer_config_process` and `trainer_config_finalize`
ARGUMENTS = {
    "train_micro_batch_size_per_gpu": "per_device_train_batch_size",
    "gradient_accumulation_steps": "gradient_accumulation_steps",
    "gradient_clipping": "max_grad_norm",
    "optimizer.params.lr": "learning_rate",
    "optimizer.params.eps": "adam_epsilon",
    "optimizer.params.weight_decay": "weight_decay",
    "scheduler.params.warmup_max_lr": "learning_rate",
}
BATCH = ("train_batch_size", "train_micro_batch_size_per_gpu")  # not compared with auto_find_batch_size
MESSAGE = "Please correct the following DeepSpeed config values that mismatch TrainingArguments values"

Judged = tuple[Context, Answer, Option]


def trigger(project: Project) -> Iterator[Site]:
    """Every value of a DeepSpeed configuration that the Trainer compares, and that is not "auto"."""
    for path, document in sorted(project.get(configs.parsed).items()):
        for key in (*ARGUMENTS, *CALCULATED):
            member = document.root.find(key) if document.root else None
            if member is not None and member.node.kind != "null" and member.node.value != "auto":
                yield config_site(member_place(path, member.key_start, member.node), (key, member.node))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    key, node = site.data
    judged = [j for c in users_of(project, site.path)[0] if (j := _judge(project, c, key, node))]
    wanted = {c.id: w for c, _, w in judged}

    def message(context: Context, answer: Answer) -> str:
        return _message(key, node, answer, wanted[context.id])

    answers = [(c, a) for c, a, _ in judged]
    yield from config_answers.concluded(project, RULE.code, site.at, answers, message, key)


def _judge(project: Project, context: Context, key: str, node: JsonNode) -> Judged | None:
    """Does the Trainer stop in this run? None where nothing is compared."""
    finds = argument(project, context, "auto_find_batch_size")
    if key in BATCH and finds.value is True and finds.at:
        return context, Excluded(Note(finds.at, "auto_find_batch_size lets the numbers differ")), finds
    wanted = _wanted(project, context, key, node)
    if wanted.value is MISSING:
        return None
    if wanted.value is UNKNOWN:
        return context, Unclear(wanted.note, '"$@"' in wanted.note), wanted
    if _value(node) != wanted.value:
        return context, Fatal(Note(wanted.at, _is(key, wanted)) if wanted.at else None), wanted
    at = wanted.at or context.launcher or member_place(context.configs[0], node.start, node)
    return context, Excluded(Note(at, f"{_is(key, wanted)}, as in the configuration")), wanted


def _value(node: JsonNode) -> object:
    return str([item.value for item in node.items]) if node.kind == "array" else node.value


# -- what the arguments say ---------------------------------------------------------------------------------


def _wanted(project: Project, context: Context, key: str, node: JsonNode) -> Option:
    """What the Trainer demands; MISSING where it works out a number that the tree does not show."""
    if key in ARGUMENTS:
        return _number(argument(project, context, ARGUMENTS[key]))
    return CALCULATED[key][1](project, context, node)


def _number(found: Option) -> Option:
    """YAML reads 1e-4 as a text, which the arguments convert. What is no number is not known."""
    try:
        value = float(found.value) if isinstance(found.value, str) else found.value
    except ValueError:
        value = None
    plain = isinstance(value, (int, float)) and math.isfinite(value)
    if plain or not found.known:
        return Option(value, found.at, found.note)
    return Option(UNKNOWN, found.at, "an argument that is no number")


def _betas(project: Project, context: Context, _: JsonNode) -> Option:
    both = [_number(argument(project, context, name)) for name in ("adam_beta1", "adam_beta2")]
    unknown = next((o for o in both if not o.known), None)
    return unknown or Option(str([o.value for o in both]), both[0].at or both[1].at)


def _train_batch(project: Project, context: Context, node: JsonNode) -> Option:
    """Ranks x micro-batch x accumulation; without the ranks, whether any number of them would do."""
    micro = _number(argument(project, context, ARGUMENTS[BATCH[1]]))
    steps = _number(argument(project, context, "gradient_accumulation_steps"))
    for found in (micro, steps):
        if not found.known:
            return found
    count, one = ranks(context), int(micro.value) * int(steps.value)  # type: ignore[arg-type]
    if isinstance(count.value, int):
        return Option(count.value * one, micro.at or steps.at or count.at)
    fits = isinstance(node.value, int) and one and not node.value % one
    return Option(MISSING) if fits else Option(f"a multiple of {one}", micro.at or steps.at)


def _warmup(project: Project, context: Context, node: JsonNode) -> Option:
    steps, ratio = (_number(argument(project, context, n)) for n in ("warmup_steps", "warmup_ratio"))
    if isinstance(steps.value, (int, float)) and steps.value >= 1:
        return Option(int(steps.value), steps.at, steps.note)
    if steps.value != 0 or ratio.value not in (0, None):
        return Option(MISSING)
    old = versions.below(context, "transformers", deepspeed_gates.WARMUP_AT_LEAST_1)
    if old is None and node.value in (0, 1):
        return Option(MISSING)
    return Option(1, steps.at) if old is False else steps


def _total(project: Project, context: Context, _: JsonNode) -> Option:
    steps = argument(project, context, "max_steps")
    return steps if isinstance(steps.value, int) and steps.value > 0 else Option(MISSING)


CALCULATED: dict[str, tuple[str, Callable[[Project, Context, JsonNode], Option]]] = {
    "train_batch_size": ("ranks x per_device_train_batch_size x gradient_accumulation_steps", _train_batch),
    "optimizer.params.betas": ("[adam_beta1, adam_beta2]", _betas),
    "scheduler.params.warmup_num_steps": ("the Trainer's warm-up (warmup_steps)", _warmup),
    "scheduler.params.total_num_steps": ("max_steps", _total),
}


# -- what is said -------------------------------------------------------------------------------------------


def _named(key: str) -> str:
    return ARGUMENTS.get(key) or CALCULATED[key][0]


def _is(key: str, wanted: Option) -> str:
    default = "" if wanted.at else " by default"
    return f"{_named(key)} is {wanted.value}{default}"


def _message(key: str, node: JsonNode, answer: Answer, wanted: Option) -> str:
    text = ", a text," if node.kind == "string" else ""
    written = f'"{key}" is {_raw(node)}{text} in the DeepSpeed configuration'
    if isinstance(answer, Unclear):
        return f'{written}, and the Trainer stops with "{MESSAGE}" unless {_named(key)} is the same.'
    return f'The Trainer stops before the first step with "{MESSAGE}": {written}, and {_is(key, wanted)}.'


def _raw(node: JsonNode) -> str:
    return str(_value(node)) if node.kind == "array" else node.raw or str(node.value)


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Write "auto". Unsafe where a default would take the place of the number; shown where others use it."""
    key, node = site.data
    users, others = users_of(project, site.path)
    if others:
        title = f'let "{key}" be "auto", which only the Trainer fills in: other runs use this file, too'
        return Fix(title, Applicability.DISPLAY)
    given = [_judge(project, c, key, node) for c in users]
    chosen = all(j is None or j[2].at is not None for j in given)
    edits = filled_in(site.path, node)
    title = f'set "{key}" to "auto": {_named(key)} decides'
    return Fix(title, Applicability.SAFE if chosen else Applicability.UNSAFE, edits)


RULE = Rule(
    code="MM502",
    name="ds-args-mismatch",
    summary="A number in a DeepSpeed configuration differs from the training argument, and the Trainer stops",
    family="launch",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=(*sorted({*ARGUMENTS.values()}), "adam_beta1", "adam_beta2", "warmup_steps", "max_steps"),
    trigger=trigger,
    check=check,
    fix=fix,
)
