"""No garbage collection for a while: where millions of objects live until the end, and while rules are
imported, to look through them over and over costs a third, and a sixth, of the time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """What is left afterwards counts as old: the next small collection does not go through it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()
        if collecting:
            gc.enable()
