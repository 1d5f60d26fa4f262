"""Names the devices in the launcher's own flag, and takes the variable that it ignores out of the command.

before: CUDA_VISIBLE_DEVICES=2,3 deepspeed --num_gpus 2 train.py
after:  deepspeed --include localhost:2,3 train.py
"""

from __future__ import annotations

import re

from mmcodemod.api import Context, Edit, Place

_VARIABLE = re.compile(r"CUDA_VISIBLE_DEVICES=[\"']?[\d,]+[\"']?[ \t]+(?=[^;&|]*$)")
_FLAG = re.compile(r"--num_(?:gpus|accelerators)[ =]\d+")


def included(
    text: str, context: Context, variable: Place, flag: Place, devices: list[str]
) -> tuple[Edit, ...]:
    """The two edits; none unless the variable stands before the command itself, in the same line."""
    start, lines = context.launcher, text.splitlines()
    if start is None or {variable.path, flag.path} != {start.path} or variable.line != start.line:
        return ()
    before = _VARIABLE.match(lines[start.line - 1][: start.column - 1], variable.column - 1)
    counts = _FLAG.match(lines[flag.line - 1], flag.column - 1)
    if before is None or counts is None:
        return ()
    named = f"--include localhost:{','.join(devices)}"
    return (
        Edit(start.path, _at(variable, before.start()), _at(variable, before.end()), ""),
        Edit(start.path, _at(flag, counts.start()), _at(flag, counts.end()), named),
    )


def _at(place: Place, offset: int) -> tuple[int, int]:
    """The position of an offset in the line of a place."""
    return place.line, offset + 1
