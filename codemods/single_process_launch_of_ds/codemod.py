"""Puts the launcher in the place of Python; the script and its arguments stay.

before: python train.py --deepspeed zero2.json
after:  deepspeed train.py --deepspeed zero2.json
"""

from __future__ import annotations

import re

from mmcodemod.api import Edit, Place

_PYTHON = re.compile(r"python3?(?=[ \t]+(?:\\\n\s*)?[\w./-]+\.py\b)")


def launched(text: str, at: Place) -> tuple[Edit, ...]:
    """The edit of the word `python`; none when options of Python itself, or a module, follow."""
    lines = text.split("\n")
    found = _PYTHON.match("\n".join(lines[at.line - 1 : at.line + 1]), at.column - 1)
    if found is None:
        return ()
    return (Edit(at.path, (at.line, found.start() + 1), (at.line, found.end() + 1), "deepspeed"),)
