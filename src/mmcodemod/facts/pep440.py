"""The order of versions after PEP 440, which pip, uv, poetry and pdm share: epoch, release, pre-release, post
release, development release, local version."""

from __future__ import annotations

import re

from mmcodemod.model.pattern import regex

Key = tuple[object, ...]  # compared among keys alone: every position holds one type

MAX_LENGTH = 200  # characters; a longer text is no version

_VERSION = regex(
    r"v?(?:(?P<epoch>\d{1,18})!)?(?P<release>\d{1,18}(?:\.\d{1,18}){0,20})"
    r"(?:[._-]?(?P<pre>alpha|beta|preview|pre|rc|a|b|c)[._-]?(?P<number>\d{0,18}))?"
    r"(?P<post>-\d{1,18}|[._-]?(?:post|rev|r)[._-]?\d{0,18})?"
    r"(?P<dev>[._-]?dev[._-]?\d{0,18})?"
    r"(?:\+(?P<local>[a-z0-9]{1,80}(?:[._-][a-z0-9]{1,80}){0,20}))?",
    re.IGNORECASE,
)
_STAGES = {"a": 0, "alpha": 0, "b": 1, "beta": 1}  # all others are release candidates: 2
_LAST = 10**19  # above every number that a version can hold

EVERY_LOCAL: Key = ((2,),)
"""Sorts behind every local version."""


def order(version: str) -> Key | None:
    """A key that sorts as the version does; None for what is no version."""
    found = _VERSION.fullmatch(version.strip()) if len(version) <= MAX_LENGTH else None
    if found is None:
        return None
    pre, post, dev = _stage(found), _number(found["post"], -1), _number(found["dev"], _LAST)
    if found["pre"] is None and post < 0 and dev < _LAST:
        pre = (-1, 0)  # 1.0.dev0 comes before 1.0a0
    return (int(found["epoch"] or 0), _numbers(found["release"]), pre, post, dev, _local(found["local"]))


def earliest(key: Key) -> Key:
    """The first of all development releases of a version's release."""
    return (*key[:2], (-1, 0), -1, 0, ())


def final(key: Key) -> Key:
    """The release itself: no pre-release, post release or local version."""
    return (*key[:2], (3, 0), -1, _LAST, ())


def with_any_local(key: Key) -> Key:
    """The last one that differs from this version by a local part alone."""
    return (*key[:5], EVERY_LOCAL)


def is_pre_release(key: Key) -> bool:
    """Also a development release of a final or a post release."""
    return key[2] != (3, 0) or key[4] != _LAST


def has_local(key: Key) -> bool:
    return bool(key[5])


def is_post_release(key: Key) -> bool:
    return key[3] != -1


def _stage(found: re.Match[str]) -> tuple[int, int]:
    if found["pre"] is None:
        return (3, 0)
    return (_STAGES.get(found["pre"].lower(), 2), int(found["number"] or 0))


def _number(text: str | None, absent: int) -> int:
    """The digits at the end of `.post2`, `-2` or `.dev3`; none count as 0."""
    if text is None:
        return absent
    digits = re.search(r"\d+\Z", text)
    return int(digits[0]) if digits else 0


def _numbers(release: str) -> tuple[int, ...]:
    """Zeros at the end mean nothing: 1.0 is 1."""
    numbers = [int(n) for n in release.split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _local(text: str | None) -> Key:
    """Words sort before numbers, and no local part before both."""
    parts = re.split(r"[._-]", (text or "").lower()) if text else []
    return tuple((1, int(p), "") if p.isdigit() else (0, 0, p) for p in parts)
