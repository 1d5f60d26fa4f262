"""Does a launch train, or does it evaluate, convert or serve?"""

from __future__ import annotations

import re
from itertools import pairwise

from mmcodemod.model.context import Entry
from mmcodemod.model.option import Option
from mmcodemod.project.flags import positionals
from mmcodemod.project.launchers import Launch
from mmcodemod.project.sources import Sources

_TRAINING_WORD = re.compile(
    r"(?:^|[^a-z])(?:(?:pre|re)?(?:train|finetun|fine_tun|fine-tun|sft|dpo|ppo|grpo|kto|rlhf|distill)|pt$)",
    re.IGNORECASE,
)
_TRAINING_CODE = re.compile(
    rb"\.backward\(|\bTrainer\b|\wTrainer\(|\btorch\.optim\b|deepspeed\.initialize|Accelerator\("
)
_IN_IT = (b".backward(", b"Trainer", b"torch.optim", b"deepspeed.initialize", b"Accelerator(")
"""What code that trains has one of: found ten times as fast as the expression, and seldom there."""


def trains(sources: Sources, launch: Launch, entry: Entry) -> bool:
    """A distributed launcher, a name that says so, or code that steps an optimizer."""
    if launch.kind not in ("python", "console"):
        return True
    if launch.how == "console":
        return any(
            _TRAINING_WORD.search(w.text) for w in (launch.target, *positionals(launch.script_words)[:1])
        )
    return bool(_TRAINING_WORD.search(entry.path)) or _steps(sources.data(entry.path))


def _steps(code: bytes) -> bool:
    return any(word in code for word in _IN_IT) and bool(_TRAINING_CODE.search(code))


def shows_help(launch: Launch) -> bool:
    """Is the program asked for its options, which it prints before it ends? What has a value behind it is an
    option of the program's own."""
    words = [word.text for word in launch.script_words]
    alone = (a for a, b in pairwise([*words, "-"]) if b.startswith("-"))
    return "--help" in words or "-h" in alone


def only_predicts(options: dict[str, Option]) -> bool:
    """`do_predict` or `do_eval` without `do_train`, as TrainingArguments reads them."""
    train = options.get("do_train")
    asked = any(options[k].value is True for k in ("do_predict", "do_eval") if k in options)
    return asked and (train is None or train.value is False)
