"""Version specifiers as intervals: PEP 440, and poetry's ^ and ~. An interval holds at least what its
specifier allows; what cannot be read allows everything."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from mmcodemod.facts.pep440 import (
    Key,
    earliest,
    final,
    has_local,
    is_post_release,
    is_pre_release,
    order,
    with_any_local,
)
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex

Bound = tuple[Key, bool]  # (version, is the bound itself allowed?)

MAX_SPEC = 2_000  # characters

_CLAUSE = regex(r"\s{0,9}(===|==|!=|<=|>=|~=|<|>|\^|~|=)?\s{0,9}([\w.*+!-]{1,200})\s{0,9}")
_PREFIX = regex(r"v?(?:(\d{1,18})!)?(\d{1,18}(?:\.\d{1,18}){0,20})")


@frozen(slots=True)
class Interval:
    """The versions between two bounds; None is open."""

    low: Bound | None = None
    high: Bound | None = None

    def narrowed(self, other: Interval) -> Interval:
        lows = [b for b in (self.low, other.low) if b]
        highs = [b for b in (self.high, other.high) if b]
        low = max(lows, key=lambda b: (b[0], not b[1]), default=None)
        return Interval(low, min(highs, key=lambda b: (b[0], b[1]), default=None))

    def below(self, limit: Key) -> bool | None:
        """Are all versions below `limit` (True), none (False), or some or nobody knows which (None)?"""
        if self.high and (self.high[0] < limit or self.high == (limit, False)):
            return True
        if self.low and self.low[0] >= limit:
            return False
        return None


def version_below(specs: str | Iterable[str], version: str) -> bool | None:
    """Is every version that all `specs` allow below `version` (True), none of them (False), or can the
    text not tell (None)? Pre-releases count where a specifier names one, as for pip."""
    return _version_below((specs,) if isinstance(specs, str) else tuple(specs), version)


@lru_cache(4096)
def _version_below(specs: tuple[str, ...], version: str) -> bool | None:
    limit = order(version)
    return None if limit is None else interval(specs).below(limit)


def interval(specs: str | Iterable[str]) -> Interval:
    """What all `specs` allow together."""
    texts = [specs] if isinstance(specs, str) else list(specs)
    clauses = [c for text in texts for c in _clauses(text)]
    allowed = Interval()
    for clause in clauses:
        allowed = allowed.narrowed(_interval(clause))
    return allowed if any(_names_pre_release(c) for c in clauses) else _finals(allowed)


def allows(spec: str, version: str) -> bool:
    """May `spec` allow `version`? False only when it surely does not."""
    point = order(version)
    if point is None:
        return True
    return _overlap(interval(spec), Interval((point, True), (with_any_local(point), True)))


def compatible(one: str, other: str) -> bool:
    """May one version satisfy both specifiers? False only when surely none does."""
    return _overlap(interval(one), interval(other))


def pinned_version(spec: str) -> str | None:
    """The version that an exact pin (`==1.2`, `===1.2`) names."""
    found = _CLAUSE.fullmatch(spec)
    exact = found is not None and found[1] in ("==", "===") and order(found[2]) is not None
    return found[2] if found and exact else None


def _overlap(one: Interval, other: Interval) -> bool:
    both = one.narrowed(other)
    return not (both.low and both.high) or both.low[0] <= both.high[0]


def _clauses(text: str) -> list[str]:
    """Conditions that hold together. Alternatives (`|`) are one condition that cannot be read."""
    if len(text) > MAX_SPEC or "|" in text:
        return []
    return text.strip("() ").split(",")


def _interval(clause: str) -> Interval:
    """The versions that one clause allows; everything for `!=` and for what cannot be read."""
    found = _CLAUSE.fullmatch(clause)
    if found is None:
        return Interval()
    operator, text = found[1] or "==", found[2]
    if "*" in text:
        return _prefix(text[:-2], 0) if operator in ("==", "=") and text.endswith(".*") else Interval()
    point = order(text)
    if point is None:
        return Interval()
    if operator in ("~=", "~", "^"):
        return Interval((point, True)).narrowed(_prefix(text, _kept_parts(operator, text)))
    return _compared(operator, point)


def _compared(operator: str, point: Key) -> Interval:
    match operator:
        case "==" | "===" | "=":
            return Interval((point, True), (point if has_local(point) else with_any_local(point), True))
        case "<":  # leaves out the pre-releases of the release itself
            plain = not is_pre_release(point) and not is_post_release(point)
            return Interval(None, (earliest(point) if plain else point, False))
        case "<=":
            return Interval(None, (with_any_local(point), True))
        case ">" | ">=":
            return Interval((point, operator == ">="), None)
    return Interval()


def _names_pre_release(clause: str) -> bool:
    found = _CLAUSE.fullmatch(clause)
    point = order(found[2]) if found and found[1] != "!=" else None
    return point is not None and is_pre_release(point)


def _finals(allowed: Interval) -> Interval:
    """Without pre-releases: from the first development release on means from the release on."""
    low = allowed.low
    return Interval((final(low[0]), True), allowed.high) if low and low[0] == earliest(low[0]) else allowed


def _kept_parts(operator: str, text: str) -> int:
    """How many leading numbers an allowed version must share."""
    numbers = _numbers(text)
    if operator == "~=":
        return max(len(numbers) - 1, 1)
    if operator == "~":
        return min(len(numbers), 2)
    return next((i + 1 for i, n in enumerate(numbers) if n), len(numbers))


def _numbers(text: str) -> list[int]:
    found = _PREFIX.match(text)
    return [int(n) for n in found[2].split(".")] if found else []


def _prefix(text: str, kept: int) -> Interval:
    """All versions that begin with the first `kept` numbers of `text` (0: with all of them)."""
    found, numbers = _PREFIX.match(text), _numbers(text)[: kept or None]
    if found is None or (not kept and found.end() != len(text)):
        return Interval()
    epoch = f"{found[1] or 0}!"
    first = order(epoch + ".".join(map(str, numbers)))
    behind = order(epoch + ".".join(map(str, [*numbers[:-1], numbers[-1] + 1])))
    return Interval((earliest(first), True), (earliest(behind), False)) if first and behind else Interval()
