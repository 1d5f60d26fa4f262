"""What crashes for one function or one context leaves that out, says so, and the rest goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def isolated(run: Callable[[], T], left_out: Callable[[Exception], T]) -> T:
    """What `run` gives; where it crashes, what `left_out`, which tells it, gives in its place."""
    try:
        return run()
    except Exception as error:  # isolates one part of an analysis
        return left_out(error)
