"""Lets the Trainer fill a value of a DeepSpeed configuration in; everything else stays as it is.

before: {"train_micro_batch_size_per_gpu": 8}
after:  {"train_micro_batch_size_per_gpu": "auto"}
"""

from __future__ import annotations

from mmcodemod.api import Edit, JsonNode, config_answers


def filled_in(path: str, value: JsonNode) -> tuple[Edit, ...]:
    """The edit that writes "auto" in the place of a value."""
    return (config_answers.replaced(path, value, '"auto"'),)
