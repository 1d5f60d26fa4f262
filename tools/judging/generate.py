"""Configurations by a seed: usual ones, and for each kind of fault some that have it."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence

from judging import kinds
from judging.case import RAW, TRAINER, Case, Draft


def cases(seed: int, count: int) -> list[Case]:
    """The same numbers give the same configurations. Every kind has its turn before one has two."""
    return [_case(seed, number) for number in range(count)]


def digest(found: Sequence[Case]) -> str:
    """What is generated, in twelve letters: a record of answers to other cases has another one."""
    told = json.dumps([case.record() for case in found], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def _case(seed: int, number: int) -> Case:
    kind = kinds.KINDS[number % len(kinds.KINDS)]
    dice = random.Random(f"{seed} {number}")
    loader = kind.loader or (TRAINER, RAW)[number // len(kinds.KINDS) % 2]
    draft = usual(loader, dice)
    kind.change(draft, dice)
    return Case(f"{number:03}", kind.name, loader, draft.ranks, draft.text(), draft.arguments())


def usual(loader: str, dice: random.Random) -> Draft:
    """A configuration that its loader takes: numbers for DeepSpeed, "auto" for the Trainer."""
    draft = Draft(loader, dice.choice((1, 2, 4, 8)), {})
    auto = loader == TRAINER
    micro, steps = dice.choice((1, 2, 4)), dice.choice((1, 2, 8))
    draft.config["train_micro_batch_size_per_gpu"] = "auto" if auto else micro
    draft.config["gradient_accumulation_steps"] = "auto" if auto else steps
    draft.config["gradient_clipping"] = "auto" if auto else 1.0
    draft.config["bf16"] = {"enabled": "auto" if auto else True}
    draft.config["zero_optimization"] = _zero(dice)
    if auto:
        draft.flags |= {
            "output_dir": "out",
            "learning_rate": "2e-5",
            "gradient_accumulation_steps": str(steps),
        }
        draft.flags["bf16"] = "True"
    if dice.random() < 0.3:
        draft.config["wall_clock_breakdown"] = False
    return draft


def _zero(dice: random.Random) -> dict[str, object]:
    stage = dice.choice((1, 2, 2, 3, 3))
    zero: dict[str, object] = {"stage": stage, "overlap_comm": False}
    if dice.random() < 0.4:
        zero["reduce_bucket_size"] = dice.choice((200000000, 500000000))
    if dice.random() < 0.3:
        zero["offload_optimizer"] = {"device": "cpu", "pin_memory": True}
    if stage == 3:
        zero["stage3_gather_16bit_weights_on_model_save"] = True
    return zero
