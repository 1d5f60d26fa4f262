"""Launches that DeepSpeed starts for one process alone, because the three batch sizes of its configuration
leave no room for another: with two, `deepspeed.initialize` ends in an AssertionError."""

from __future__ import annotations

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.option import UNKNOWN
from mmcodemod.project.model import Project
from mmcodemod.project.ranks import ranks

_SIZES = ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps")
_OTHERS = ("transformers.Trainer", "accelerate.Accelerator")  # fill the sizes in, or compare them


def one_by_batch(project: Project, context: Context) -> Note | None:
    """The size of the whole batch, where it is that of one process and the launch does not say how many it
    starts (DeepSpeed runtime/config.py, `_batch_assertion`, read in 0.16.9)."""
    whole, micro, steps = (context.option(f"deepspeed.{key}") for key in _SIZES)
    numbers = [o.value for o in (whole, micro, steps) if type(o.value) is int]
    if len(numbers) < 3 or numbers[0] != numbers[1] * numbers[2] or whole.at is None:
        return None
    if ranks(context).value is not UNKNOWN or not _is_alone(project, context):
        return None
    return Note(
        whole.at, "with these batch sizes DeepSpeed starts for one process alone, which waits for nobody"
    )


def _is_alone(project: Project, context: Context) -> bool:
    """Does nothing else read the sizes? Of a configuration that no launch names, as far as it shows."""
    if context.entry is None:
        return True
    raw = project.calls_library("deepspeed.initialize", context.entry)
    return raw and not any(project.uses(name, context.entry) for name in _OTHERS)
