"""Lets the Trainer switch a precision of a DeepSpeed configuration; everything else stays as it is.

before: {"fp16": {"enabled": true}}
after:  {"fp16": {"enabled": "auto"}}
"""

from __future__ import annotations

from mmcodemod.api import Edit, JsonNode, config_answers


def switched_by_trainer(path: str, value: JsonNode) -> tuple[Edit, ...]:
    """The edit that writes "auto" in the place of a value."""
    return (config_answers.replaced(path, value, '"auto"'),)
