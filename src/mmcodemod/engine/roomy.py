"""Room on the stack. CPython since 3.11 takes the stack of Python functions in chunks of 16 KB, and gives a
chunk back to the system when the first frame in it returns (`push_chunk` and `_PyThreadState_PopFrame` in
Python/pystate.c): a loop that calls across such an edge maps and unmaps memory with every call, and which
loop does is chance. That was a quarter to two fifths of the time that the system takes for a check."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_SLOTS = 66_000  # of 8 bytes; the chunk is the next power of two, and half of it is left: some 3,000 frames


def roomy(run: Callable[[], T]) -> T:
    """What `run` returns, run above a chunk that is large enough. What it does not use is never touched."""
    return run()


roomy.__code__ = roomy.__code__.replace(co_stacksize=_SLOTS)
