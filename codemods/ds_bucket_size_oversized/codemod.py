"""Lowers the buckets in place; everything else of the file stays.

before: "reduce_bucket_size": 5e8
after:  "reduce_bucket_size": 2e8
"""

from __future__ import annotations

from collections.abc import Iterable

from mmcodemod.api import Edit, JsonMember, config_answers

SIZE = "2e8"  # elements


def lowered(path: str, large: Iterable[JsonMember]) -> tuple[Edit, ...]:
    """An edit for each bucket that is too large."""
    return tuple(config_answers.replaced(path, member.node, SIZE) for member in large)
