"""Renames a member of a DeepSpeed configuration; its value and everything else stay as they are.

before: {"gradient_cliping": 1.0}
after:  {"gradient_clipping": 1.0}
"""

from __future__ import annotations

import json

from mmcodemod.api import Edit, JsonMember


def renamed(path: str, member: JsonMember, name: str) -> tuple[Edit, ...]:
    """The edit that writes another key."""
    return (Edit(path, member.key_start, member.key_end, json.dumps(name)),)


def distance(one: str, other: str) -> int:
    """Letters to insert, delete, replace or swap with the next, to make one word of the other."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            swapped = i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b
            row.append(min(best, rows[-2][j - 2] + 1) if swapped else best)
        rows.append(row)
    return rows[-1][-1]
