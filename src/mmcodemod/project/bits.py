"""Why values may differ between ranks, as sets of reasons."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntFlag


class Bits(IntFlag):
    """Why a value may differ between ranks."""

    NONE = 0
    RANK = 1  # it depends on the number of the rank
    PRESENCE = 2  # on whether, or how much of something, is in this rank's batch
    VALUE = 4  # on the values of this rank's batch
    LOCAL = 8  # on this process's clock, random numbers, files

    # Those of IntFlag take ten times as long, and so more than all else here.
    def __or__(self, other: int) -> Bits:
        return _BITS[int.__or__(self, other)]

    def __and__(self, other: int) -> Bits:
        return _BITS[int.__and__(self, other)]

    def __invert__(self) -> Bits:
        return _BITS[int.__xor__(self, 15)]


_BITS = [Bits(number) for number in range(16)]
_EVERY = 15


def union(parts: Iterable[Bits]) -> Bits:
    """All reasons of some sets; no more are looked at once there is every one."""
    found = 0
    for part in parts:
        found = int.__or__(found, part)
        if found == _EVERY:
            break
    return _BITS[found]
