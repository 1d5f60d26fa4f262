"""Lets DeepSpeed take an optimizer that is not its own; everything else of the file stays.

before: {"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}
after:  {"zero_optimization": {...}, "zero_force_ds_cpu_optimizer": false}
"""

from __future__ import annotations

from mmcodemod.api import Edit, JsonNode, insert_member


def allowed(text: str, path: str, root: JsonNode, key: str) -> tuple[Edit, ...]:
    """The edit that adds `"key": false` at the end of the object."""
    return (Edit(path, *insert_member(text, root, key, "false")),)
