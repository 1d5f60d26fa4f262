"""Switches on that 16-bit weights are gathered when they are saved; everything else of the file stays.

before: {"stage": 3}
after:  {"stage": 3, "stage3_gather_16bit_weights_on_model_save": true}
"""

from __future__ import annotations

from mmcodemod.api import Edit, JsonMember, JsonNode, config_answers, insert_member


def switched_on(text: str, path: str, zero: JsonNode, key: str, off: JsonMember | None) -> tuple[Edit, ...]:
    """The edit that writes `true` in place of the value that is there, or adds the key to `zero`."""
    if off is not None:
        return (config_answers.replaced(path, off.node, "true"),)
    return (Edit(path, *insert_member(text, zero, key, "true")),)
