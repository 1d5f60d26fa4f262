"""Switches the overlap off in place; everything else of the file stays.

before: {"stage": 2, "overlap_comm": true}
after:  {"stage": 2, "overlap_comm": false}
"""

from __future__ import annotations

from mmcodemod.api import Edit, JsonMember, config_answers


def switched_off(path: str, overlap: JsonMember) -> tuple[Edit, ...]:
    """The edit that writes `false`."""
    return (config_answers.replaced(path, overlap.node, "false"),)
