"""What is done to a usual configuration. Each kind is one function; its words are the name in the table."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from judging.case import RAW, TRAINER, Draft

Change = Callable[[Draft, random.Random], None]
ZERO = "zero_optimization"
WHOLE, MICRO, STEPS = "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"
GATHER = "stage3_gather_16bit_weights_on_model_save"


@dataclass(frozen=True)
class Kind:
    """`loader` is who loads it, "" for either."""

    name: str
    change: Change
    loader: str = ""


KINDS: list[Kind] = []


def kind(name: str, loader: str = "") -> Callable[[Change], Change]:
    def kept(change: Change) -> Change:
        KINDS.append(Kind(name, change, loader))
        return change

    return kept


def misspelt(word: str, dice: random.Random) -> str:
    """The word with one letter left out, or two exchanged."""
    at = dice.randrange(1, len(word) - 1)
    if dice.random() < 0.5 or word[at] == word[at + 1]:
        return word[:at] + word[at + 1 :]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


@kind("usual")
def _usual(draft: Draft, dice: random.Random) -> None:
    pass


# -- keys that nobody knows ---------------------------------------------------------------------------------

TOP = ("gradient_accumulation_steps", "gradient_clipping", "steps_per_print", "wall_clock_breakdown",
       "prescale_gradients", "train_micro_batch_size_per_gpu", "zero_allow_untested_optimizer")  # fmt: skip
BELOW = ("overlap_comm", "reduce_bucket_size", "contiguous_gradients", "allgather_bucket_size",
         "round_robin_gradients", "sub_group_size")  # fmt: skip
NUMBERS = {"overlap_comm": True, "contiguous_gradients": True, "round_robin_gradients": False}


@kind("a key at the top is misspelt")
def _top(draft: Draft, dice: random.Random) -> None:
    draft.config[misspelt(dice.choice(TOP), dice)] = 3


@kind("a key below zero_optimization is misspelt")
def _below(draft: Draft, dice: random.Random) -> None:
    key = dice.choice(BELOW)
    draft.section(ZERO)[misspelt(key, dice)] = NUMBERS.get(key, 100000)


@kind("a misspelt key below zero_optimization is auto")
def _below_auto(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO)[misspelt("reduce_bucket_size", dice)] = "auto"


@kind("a key of another program at the top")
def _foreign(draft: Draft, dice: random.Random) -> None:
    draft.config[dice.choice(("wandb_project", "model_name", "experiment", "max_seq_len", "logging"))] = (
        "mine"
    )


@kind("a comment that is written as a key")
def _comment(draft: Draft, dice: random.Random) -> None:
    draft.config[dice.choice(("_comment", "//", "#note", "comment"))] = "for the large machines"


@kind("a key of zero_optimization stands at the top")
def _lost(draft: Draft, dice: random.Random) -> None:
    draft.config[dice.choice(("overlap_comm", "reduce_bucket_size", "offload_optimizer", "stage"))] = 1


@kind("a key of the top stands below zero_optimization")
def _fallen(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO)[dice.choice(("gradient_clipping", "steps_per_print", "fp16", STEPS))] = 1


GATED = {
    "enable_sanity_checks": True,
    "log_trace_cache_warnings": True,
    "stage3_use_all_reduce_for_fetch_params": True,
    "use_multi_rank_bucket_allreduce": False,
    "zero_hpz_partition_size": 1,
}


@kind("a key that only some releases know")
def _gated(draft: Draft, dice: random.Random) -> None:
    key = dice.choice(sorted(GATED))
    draft.section(ZERO)[key] = GATED[key]


@kind("a key that was removed")
def _removed(draft: Draft, dice: random.Random) -> None:
    if dice.random() < 0.5:
        draft.config["sparse_gradients"] = False
    else:
        draft.section(ZERO)["mics_hierarchical_params_gather"] = False


@kind("a key below fp16 or bf16 is misspelt")
def _half(draft: Draft, dice: random.Random) -> None:
    if dice.random() < 0.5:
        draft.config["fp16"] = {"enabled": False, misspelt("loss_scale_window", dice): 500}
    else:
        draft.section("bf16")[misspelt("enabled", dice)] = True


@kind("a key below offload_optimizer is misspelt")
def _offload_key(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO)["offload_optimizer"] = {"device": "cpu", misspelt("pin_memory", dice): True}


@kind("a parameter of the optimizer is misspelt")
def _optimizer_key(draft: Draft, dice: random.Random) -> None:
    rate = "auto" if draft.loader == TRAINER else 2e-5
    draft.config["optimizer"] = {"type": "AdamW", "params": {"lr": rate, "weigth_decay": 0.1}}


# -- the stage ----------------------------------------------------------------------------------------------


@kind("keys of stage 3 at another stage")
def _stage3_keys(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO)["stage"] = dice.choice((1, 2))
    draft.section(ZERO).pop(GATHER, None)
    for key in ("stage3_max_live_parameters", "stage3_prefetch_bucket_size")[: dice.choice((1, 2))]:
        draft.section(ZERO)[key] = 1000000


@kind("offload_param at another stage")
def _offload_param(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO).pop(GATHER, None)
    draft.section(ZERO)["stage"] = dice.choice((1, 2))
    draft.section(ZERO)["offload_param"] = {"device": dice.choice(("cpu", "none"))}


@kind("a part of the optimizer is offloaded")
def _ratio(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO)["offload_optimizer"] = {"device": "cpu", "ratio": dice.choice((0.3, 0.5, 1.0))}


@kind("gradients are summed")
def _sum(draft: Draft, dice: random.Random) -> None:
    draft.config["gradient_allreduce_op"] = dice.choice(("sum", "SUM", "mean", "avg"))


@kind("a stage that there is not")
def _stage(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO)["stage"] = dice.choice((4, "2", "3", -1, True))


@kind("the stage is left out")
def _stageless(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO).pop("stage")
    draft.section(ZERO).pop(GATHER, None)


@kind("offload_param at stage 3")
def _offloaded(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO).update({"stage": 3, GATHER: True})
    draft.section(ZERO)["offload_param"] = {"device": dice.choice(("cpu", "nvme", "gpu"))}


# -- sizes --------------------------------------------------------------------------------------------------


def _sizes(draft: Draft, dice: random.Random) -> tuple[int, int]:
    micro, steps = dice.choice((1, 2, 4)), dice.choice((1, 2, 8))
    draft.config |= {MICRO: micro, STEPS: steps}
    return micro, steps


@kind("three sizes that fit the ranks", RAW)
def _fit(draft: Draft, dice: random.Random) -> None:
    micro, steps = _sizes(draft, dice)
    draft.config[WHOLE] = micro * steps * draft.ranks


@kind("three sizes that do not fit", RAW)
def _misfit(draft: Draft, dice: random.Random) -> None:
    micro, steps = _sizes(draft, dice)
    draft.config[WHOLE] = micro * steps * draft.ranks * 2 + dice.choice((0, 1))


@kind("the whole batch and one more size", RAW)
def _two(draft: Draft, dice: random.Random) -> None:
    _sizes(draft, dice)
    draft.config.pop(dice.choice((MICRO, STEPS)))
    draft.config[WHOLE] = dice.choice((8, 16, 30, 64))


@kind("the whole batch alone", RAW)
def _whole(draft: Draft, dice: random.Random) -> None:
    draft.config.pop(MICRO)
    draft.config.pop(STEPS)
    draft.config[WHOLE] = dice.choice((3, 8, 16, 64))


@kind("no size at all", RAW)
def _sizeless(draft: Draft, dice: random.Random) -> None:
    draft.config.pop(MICRO)
    if dice.random() < 0.5:
        draft.config.pop(STEPS)


@kind("a size that is no positive number", RAW)
def _zero_size(draft: Draft, dice: random.Random) -> None:
    draft.config[dice.choice((MICRO, STEPS))] = dice.choice((0, -1))
    if dice.random() < 0.5:
        draft.config[WHOLE] = 16


# -- precision ----------------------------------------------------------------------------------------------


@kind("fp16 and bf16 are both on")
def _both(draft: Draft, dice: random.Random) -> None:
    draft.config["fp16"] = {"enabled": True}
    if dice.random() < 0.3:
        draft.config.pop("bf16")
        draft.config["bfloat16"] = {"enabled": True}
    else:
        draft.config["bf16"] = {"enabled": True}


@kind("the arguments switch both on", TRAINER)
def _both_flags(draft: Draft, dice: random.Random) -> None:
    draft.flags |= {"fp16": "True", "bf16": "True"}
    if dice.random() < 0.5:
        draft.flags = {k: v for k, v in draft.flags.items() if k not in ("fp16", "bf16")}
        draft.flags |= {"fp16_full_eval": "True", "bf16_full_eval": "True"}


@kind("fp16 beside a bf16 that is off")
def _one(draft: Draft, dice: random.Random) -> None:
    draft.config |= {"fp16": {"enabled": True}, "bf16": {"enabled": False}}
    if draft.loader == TRAINER:
        draft.flags.pop("bf16")
        draft.flags["fp16"] = "True"


@kind("a precision that the arguments do not ask for", TRAINER)
def _precision(draft: Draft, dice: random.Random) -> None:
    draft.config.pop("bf16")
    draft.flags.pop("bf16")
    name = dice.choice(("fp16", "bf16"))
    draft.config[name] = {"enabled": dice.choice((True, False))}
    if dice.random() < 0.6:
        draft.flags[dice.choice(("fp16", "bf16", f"{name}_full_eval"))] = "True"


# -- the text -----------------------------------------------------------------------------------------------

SLIPS = {
    "a comment in the file": ('"zero_optimization"', '// as on the large machines\n  "zero_optimization"'),
    "a comma at the end of an object": ("\n}", ",\n}"),
    "a comma is missing": (',\n  "zero_optimization"', '\n  "zero_optimization"'),
    "a key without quotes": ('"zero_optimization"', "zero_optimization"),
    "quotes that are not double": ('"zero_optimization"', "'zero_optimization'"),
    "a key stands twice": ("{\n", '{\n  "steps_per_print": 1,\n  "steps_per_print": 2,\n'),
}  # fmt: skip


def _slipping(old: str, new: str) -> Change:
    def change(draft: Draft, dice: random.Random) -> None:
        draft.slips.append((old, new))

    return change


for _name, (_old, _new) in SLIPS.items():
    kind(_name)(_slipping(_old, _new))


# -- numbers of the arguments -------------------------------------------------------------------------------


@kind("a size beside the argument for it", TRAINER)
def _size_flag(draft: Draft, dice: random.Random) -> None:
    key, flag = dice.choice(((MICRO, "per_device_train_batch_size"), (STEPS, STEPS)))
    draft.flags[flag] = "4"
    draft.config[key] = dice.choice((4, 8, "4"))


@kind("clipping beside max_grad_norm", TRAINER)
def _clip_flag(draft: Draft, dice: random.Random) -> None:
    draft.config["gradient_clipping"] = dice.choice((1.0, 1, 0.5, 0.0))
    if dice.random() < 0.6:
        draft.flags["max_grad_norm"] = dice.choice(("0.5", "1.0", "0.0"))


OPTIMIZER: dict[str, tuple[object, object]] = {
    "lr": (2e-5, 1e-4),
    "betas": ([0.9, 0.999], [0.9, 0.95]),
    "eps": (1e-8, 1e-6),
    "weight_decay": (0.0, 0.1),
}


@kind("an optimizer beside the arguments", TRAINER)
def _optimizer_flag(draft: Draft, dice: random.Random) -> None:
    params: dict[str, object] = dict.fromkeys(OPTIMIZER, "auto")
    key = dice.choice(sorted(OPTIMIZER))
    params[key] = dice.choice(OPTIMIZER[key])
    draft.config["optimizer"] = {"type": "AdamW", "params": params}


@kind("a warm-up beside the arguments", TRAINER)
def _warmup_flag(draft: Draft, dice: random.Random) -> None:
    params = {
        "warmup_min_lr": "auto",
        "warmup_max_lr": "auto",
        "warmup_num_steps": dice.choice((0, 1, 10, 100)),
    }
    draft.config["scheduler"] = {"type": "WarmupLR", "params": params}
    if dice.random() < 0.6:
        draft.flags["warmup_steps"] = dice.choice(("10", "100", "0"))


@kind("steps beside the arguments", TRAINER)
def _steps_flag(draft: Draft, dice: random.Random) -> None:
    params = {"warmup_num_steps": "auto", "total_num_steps": dice.choice((100, 500))}
    draft.config["scheduler"] = {"type": "WarmupDecayLR", "params": params}
    draft.flags["max_steps"] = dice.choice(("100", "500"))


@kind("the whole batch beside the arguments", TRAINER)
def _whole_flag(draft: Draft, dice: random.Random) -> None:
    draft.flags["per_device_train_batch_size"] = "2"
    draft.config[WHOLE] = dice.choice((2 * int(draft.flags[STEPS]) * draft.ranks, 6, 64))


@kind("the batch size is searched for", TRAINER)
def _finds(draft: Draft, dice: random.Random) -> None:
    draft.flags |= {"auto_find_batch_size": "True", "per_device_train_batch_size": "4"}
    draft.config[MICRO] = dice.choice((4, 8))


# -- schedules, clipping, overlap, gather -------------------------------------------------------------------


SAME = {"WarmupLR": "constant_with_warmup", "WarmupDecayLR": "linear", "WarmupCosineLR": "cosine"}


def _schedule(draft: Draft, name: str) -> None:
    auto = {"warmup_num_steps": "auto"}
    if name != "WarmupLR":
        auto["total_num_steps"] = "auto"
    if name != "WarmupCosineLR":
        auto["warmup_max_lr"] = "auto"
    draft.config["scheduler"] = {"type": name, "params": auto}


@kind("a schedule beside lr_scheduler_type", TRAINER)
def _scheduler(draft: Draft, dice: random.Random) -> None:
    name = dice.choice(tuple(SAME))
    _schedule(draft, name)
    if dice.random() < 0.8:
        draft.flags["lr_scheduler_type"] = dice.choice([flag for flag in SAME.values() if flag != SAME[name]])


@kind("a schedule that is the one asked for", TRAINER)
def _same_scheduler(draft: Draft, dice: random.Random) -> None:
    name = dice.choice(tuple(SAME))
    _schedule(draft, name)
    draft.flags["lr_scheduler_type"] = SAME[name]


@kind("lr_scheduler_type and no schedule", TRAINER)
def _no_scheduler(draft: Draft, dice: random.Random) -> None:
    draft.flags["lr_scheduler_type"] = dice.choice(("cosine", "linear"))


@kind("clipping is left out")
def _unclipped(draft: Draft, dice: random.Random) -> None:
    draft.config.pop("gradient_clipping")
    if draft.loader == TRAINER and dice.random() < 0.5:
        draft.flags["max_grad_norm"] = dice.choice(("0.3", "1.0", "0"))


@kind("clipping is null")
def _null_clip(draft: Draft, dice: random.Random) -> None:
    draft.config["gradient_clipping"] = None


@kind("the reduction is overlapped")
def _overlap(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO)["overlap_comm"] = True


@kind("nothing is said of the overlap")
def _no_overlap(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO).pop("overlap_comm")


@kind("stage 3 and no gather on save")
def _no_gather(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO)["stage"] = 3
    draft.section(ZERO).pop(GATHER, None)
    if dice.random() < 0.4:
        draft.section(ZERO)[GATHER] = False


@kind("stage 3 and the gather by an old name")
def _old_gather(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO)["stage"] = 3
    draft.section(ZERO).pop(GATHER, None)
    draft.section(ZERO)["stage3_gather_fp16_weights_on_model_save"] = dice.choice((True, False))


@kind("auto below zero_optimization, which the Trainer fills in", TRAINER)
def _auto_zero(draft: Draft, dice: random.Random) -> None:
    draft.section(ZERO)["reduce_bucket_size"] = "auto"
    if draft.section(ZERO)["stage"] == 3:
        draft.section(ZERO)["stage3_param_persistence_threshold"] = "auto"


@kind("a size is auto that nobody fills in", RAW)
def _auto_size(draft: Draft, dice: random.Random) -> None:
    draft.config[dice.choice((MICRO, STEPS, WHOLE))] = "auto"


@kind("a value is auto that nobody fills in", RAW)
def _auto(draft: Draft, dice: random.Random) -> None:
    key = dice.choice(("gradient_clipping", "bf16", ZERO, "optimizer"))
    if key == "bf16":
        draft.config["bf16"] = {"enabled": "auto"}
    elif key == ZERO:
        draft.section(ZERO)["reduce_bucket_size"] = "auto"
    elif key == "optimizer":
        draft.config["optimizer"] = {"type": "AdamW", "params": {"lr": "auto"}}
    else:
        draft.config[key] = "auto"
