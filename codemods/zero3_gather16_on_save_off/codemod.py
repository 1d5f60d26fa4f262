"""Switches on that 16-bit weights are gathered when they are saved; everything else of the file stays.

before: {"stage": 3}
after:  {"stage": 3, "stage3_gather_16bit_weights_on_model_save": true}
"""

from __future__ import annotations

from mmcodemod.api import Edit, edit_json, edit_yaml


def switched_on(text: str, path: str, section: str, key: str) -> tuple[Edit, ...] | None:
    """The edit that writes `true` in place of the value that is there, or adds the key to its section; None
    when that is in doubt."""
    return edit_json.set_value(text, path, (section, key), True)


def gathered_by_accelerate(text: str, path: str) -> tuple[Edit, ...] | None:
    """The same in Accelerate's own file; None when that is in doubt."""
    return edit_yaml.set_value(text, path, ("deepspeed_config", "zero3_save_16bit_model"), True)
