"""Where the seconds of one check go, for `--profile`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter


class Profile:
    """Seconds on the wall clock, by stage in the order of their beginning, and by the code of a rule. Rules
    run in one process; what other processes do that read files counts as long as it is waited for. When it is
    not `on`, no clock is read."""

    def __init__(self, on: bool = False) -> None:
        self.on = on
        self.stages: dict[str, float] = {}
        self.rules: dict[str, float] = {}

    def stage(self, name: str) -> AbstractContextManager[None]:
        """Counts what is done within it."""
        return _spent(self.stages, name) if self.on else nullcontext()

    def rule(self, code: str) -> AbstractContextManager[None]:
        """Counts what is done within it."""
        return _spent(self.rules, code) if self.on else nullcontext()


OFF = Profile()


@contextmanager
def _spent(on: dict[str, float], what: str) -> Iterator[None]:
    begun = perf_counter()
    try:
        yield
    finally:
        on[what] = on.get(what, 0.0) + perf_counter() - begun
