"""Version specifiers as intervals: enough of PEP 440 (and of poetry's ^ and ~) to compare releases."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

Release = tuple[int, ...]
Bound = tuple[Release, bool]  # (release, is the bound itself allowed?)

_CLAUSE = re.compile(r"\s*(===|==|!=|<=|>=|~=|<|>|\^|~|=)?\s*v?([0-9][\w.*+!-]*)\s*")
_VERSION = re.compile(r"(?:\d+!)?(\d+(?:\.\d+)*)(.*)")
_PRE_RELEASE = re.compile(r"[._-]?(?:a|b|c|rc|alpha|beta|pre|preview|dev)[._-]?\d*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Interval:
    """The releases between two bounds; None is open."""

    low: Bound | None = None
    high: Bound | None = None

    def narrowed(self, other: Interval) -> Interval:
        lows = [b for b in (self.low, other.low) if b]
        highs = [b for b in (self.high, other.high) if b]
        low = max(lows, key=lambda b: (b[0], not b[1]), default=None)
        return Interval(low, min(highs, key=lambda b: (b[0], b[1]), default=None))


def version_below(specs: str | Iterable[str], version: str) -> bool | None:
    """Is every version that all `specs` allow below `version` (True), none of them (False), or can the
    text not tell (None)?"""
    texts = [specs] if isinstance(specs, str) else list(specs)
    allowed, limit = Interval(), release(version)
    for clause in (c for text in texts for c in text.strip("() ").split(",")):
        allowed = allowed.narrowed(_interval(clause))
    if allowed.high and (allowed.high[0] < limit or allowed.high == (limit, False)):
        return True
    if allowed.low and allowed.low[0] >= limit:
        return False
    return None


def release(version: str) -> Release:
    """Comparable numbers; a pre-release sorts just below its release: 0.19.3rc1 < 0.19.3."""
    found = _VERSION.match(version.strip().lstrip("v"))
    if found is None:
        return (0,) * 6
    numbers = [min(int(n[:12]), 10**12) for n in found[1].split(".")[:5]]
    return (*numbers, *[0] * (5 - len(numbers)), -1 if _PRE_RELEASE.match(found[2]) else 0)


def _interval(clause: str) -> Interval:
    """The versions that one clause allows; everything for `!=` and for what cannot be read."""
    found = _CLAUSE.fullmatch(clause)
    if found is None:
        return Interval()
    operator, text = found[1] or "==", found[2]
    if operator in ("==", "===", "=") and "*" in text:
        return _prefix(text.replace(".*", "").replace("*", ""), 0)
    if operator in ("~=", "~", "^"):
        return _prefix(text, _kept_parts(operator, text))
    return _compared(operator, release(text))


def _compared(operator: str, point: Release) -> Interval:
    match operator:
        case "==" | "===" | "=":
            return Interval((point, True), (point, True))
        case "<" | "<=":
            return Interval(None, (point, operator == "<="))
        case ">" | ">=":
            return Interval((point, operator == ">="), None)
    return Interval()


def _kept_parts(operator: str, text: str) -> int:
    """How many leading numbers an allowed version must share."""
    numbers = _numbers(text)
    if operator == "~=":
        return max(len(numbers) - 1, 1)
    if operator == "~":
        return min(len(numbers), 2)
    return next((i + 1 for i, n in enumerate(numbers) if n), len(numbers))


def _numbers(text: str) -> list[int]:
    found = _VERSION.match(text)
    return [int(n[:12]) for n in found[1].split(".")] if found else []


def _prefix(text: str, kept: int) -> Interval:
    """From `text` on, below the next value of its last kept number (`kept` 0: all numbers are kept)."""
    numbers = _numbers(text)[: kept or None]
    if not numbers:
        return Interval()
    above = ".".join(str(n) for n in [*numbers[:-1], numbers[-1] + 1])
    return Interval((release(text), True), (release(above), False))
