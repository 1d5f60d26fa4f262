"""Lets DeepSpeed take an optimizer that is not its own; everything else of the file stays.

before: {"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}
after:  {"zero_optimization": {...}, "zero_force_ds_cpu_optimizer": false}
"""

from __future__ import annotations

from mmcodemod.api import Edit, edit_json


def allowed(text: str, path: str, key: str) -> tuple[Edit, ...] | None:
    """The edit that adds `"key": false` at the end of the object; None when that is in doubt."""
    return edit_json.set_value(text, path, (key,), False)
