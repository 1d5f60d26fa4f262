"""Values of DeepSpeed's JSON beside the training arguments: where they differ, the Trainer stops before the
first step. Must-analysis (see ds_arguments).

Source: transformers `integrations/deepspeed.py`, `trainer_config_process` and `trainer_config_finalize`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from mmcodemod.facts.node import Member, Node
from mmcodemod.knowledge import deepspeed_gates
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project import configs, versions
from mmcodemod.project.death import Death
from mmcodemod.project.ds_arguments import argument, users_of
from mmcodemod.project.flags import member_place
from mmcodemod.project.model import Project
from mmcodemod.project.ranks import ranks

MISMATCH = "Please correct the following DeepSpeed config values that mismatch TrainingArguments values"
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

Judged = tuple[Context, Answer, Option]


def compared_values(project: Project) -> Iterator[tuple[str, str, Member]]:
    """Every value of a DeepSpeed configuration that the Trainer compares, and that is not "auto": the path of
    the file, the key and the member."""
    for path, document in sorted(project.get(configs.parsed).items()):
        for key in (*ARGUMENTS, *CALCULATED):
            member = document.root.find(key) if document.root else None
            if member is not None and member.node.kind != "null" and member.node.value != "auto":
                yield path, key, member


def mismatched(project: Project, context: Context) -> Death | None:
    """How a launch dies whose Trainer finds another value; None when nothing shows that. A rule of its own
    tells it (MM502)."""
    return project.get(_mismatches).get(context.id)


def _mismatches(project: Project) -> dict[str, Death]:
    found: dict[str, Death] = {}
    for path, key, member in compared_values(project):
        for context in users_of(project, path)[0]:
            judged = compare(project, context, key, member.node)
            if judged is not None and isinstance(judged[1], Fatal):
                at = member_place(path, member.key_start, member.node)
                found.setdefault(context.id, _death(at, key, judged[2]))
    return found


def compare(project: Project, context: Context, key: str, node: Node) -> Judged | None:
    """Does the Trainer stop in this run? None where nothing is compared."""
    if configs.changed_by_code(context, key):
        return None
    finds = argument(project, context, "auto_find_batch_size")
    if key in BATCH and finds.value is True and finds.at:
        return context, Excluded(Note(finds.at, "auto_find_batch_size lets the numbers differ")), finds
    wanted = _wanted(project, context, key, node)
    if wanted.value is MISSING:
        return None
    if wanted.value is UNKNOWN:
        return context, Unclear(wanted.note, '"$@"' in wanted.note), wanted
    if value_of(node) != wanted.value:
        return context, Fatal(Note(wanted.at, says(key, wanted)) if wanted.at else None), wanted
    at = wanted.at or context.launcher or member_place(context.configs[0], node.start, node)
    return context, Excluded(Note(at, f"{says(key, wanted)}, as in the configuration")), wanted


def value_of(node: Node) -> object:
    """What stands there; a list as its text."""
    return str([item.value for item in node.items]) if node.kind == "array" else node.value


# -- what the arguments say ---------------------------------------------------------------------------------


def _wanted(project: Project, context: Context, key: str, node: Node) -> Option:
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


def _betas(project: Project, context: Context, _: Node) -> Option:
    both = [_number(argument(project, context, name)) for name in ("adam_beta1", "adam_beta2")]
    unknown = next((o for o in both if not o.known), None)
    return unknown or Option(str([o.value for o in both]), both[0].at or both[1].at)


def _train_batch(project: Project, context: Context, node: Node) -> Option:
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


def _warmup(project: Project, context: Context, node: Node) -> Option:
    steps, ratio = (_number(argument(project, context, n)) for n in ("warmup_steps", "warmup_ratio"))
    if isinstance(steps.value, (int, float)) and steps.value >= 1:
        return Option(int(steps.value), steps.at, steps.note)
    if steps.value != 0 or ratio.value not in (0, None):
        return Option(MISSING)
    old = versions.below(context, "transformers", deepspeed_gates.WARMUP_AT_LEAST_1)
    if old is None and node.value in (0, 1):
        return Option(MISSING)
    return Option(1, steps.at) if old is False else steps


def _total(project: Project, context: Context, _: Node) -> Option:
    steps = argument(project, context, "max_steps")
    return steps if isinstance(steps.value, int) and steps.value > 0 else Option(MISSING)


CALCULATED: dict[str, tuple[str, Callable[[Project, Context, Node], Option]]] = {
    "train_batch_size": ("ranks x per_device_train_batch_size x gradient_accumulation_steps", _train_batch),
    "optimizer.params.betas": ("[adam_beta1, adam_beta2]", _betas),
    "scheduler.params.warmup_num_steps": ("the Trainer's warm-up (warmup_steps)", _warmup),
    "scheduler.params.total_num_steps": ("max_steps", _total),
}


def named(key: str) -> str:
    """The training argument that a key is compared with."""
    return ARGUMENTS.get(key) or CALCULATED[key][0]


def says(key: str, wanted: Option) -> str:
    """What the training arguments hold for a key, as a clause."""
    default = "" if wanted.at else " by default"
    return f"{named(key)} is {wanted.value}{default}"


def _death(at: Place, key: str, wanted: Option) -> Death:
    why = f'"{key}" differs from the training arguments ({says(key, wanted)})'
    return Death(at, "ValueError", why, f"whether the run gets past {at}: {why}", sure=False, rule="MM502")
