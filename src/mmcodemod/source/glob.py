"""Patterns for paths, as in ruff: `*` matches `/`, too, and who names a folder means all that is in it."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import islice

from mmcodemod.model.pattern import regex

MOST = 64
"""Ways to read one pattern; `{a,b}` and `**/` multiply them. More are not looked at."""

_BRACES = regex(r"(.*?)\{([^{}]*)\}(.*)", re.DOTALL)


def matches(pattern: str, path: str) -> bool:
    """Does a pattern mean this POSIX path? `*` `?` `[ab]` `{a,b}`, and `**/` for any number of folders, also
    none. Without a slash it is a name at any depth, else relative to the root; `!` in front means all
    other paths."""
    if pattern.startswith("!"):
        return len(pattern) > 1 and not matches(pattern[1:], path)
    return any(fnmatchcase(path, one) for one in _ways(pattern))


@lru_cache(maxsize=1024)
def _ways(pattern: str) -> tuple[str, ...]:
    """The patterns of fnmatch that together mean what a pattern means."""
    found: dict[str, None] = {}
    for one in _without_braces(pattern):
        bare = one.removeprefix("./").strip("/")
        anchored = "/" in one.removeprefix("./").rstrip("/")
        for way in _without_stars(bare if anchored else f"**/{bare}") if bare else ():
            found |= {f"{way}/*": None} if one.endswith("/") else {way: None, f"{way}/*": None}
    return tuple(islice(found, 2 * MOST))


def _without_braces(pattern: str) -> list[str]:
    ways = [pattern]
    while len(ways) < MOST and (hit := next((m for way in ways if (m := _BRACES.fullmatch(way))), None)):
        ways.remove(hit[0])
        ways += [f"{hit[1]}{choice}{hit[3]}" for choice in hit[2].split(",")]
    return ways[:MOST]


def _without_stars(pattern: str) -> list[str]:
    """`**/x` is `x` or `*/x`; runs of stars are one."""
    first, *rest = re.split(r"(?<![^/])(?:\*\*/)+", pattern)
    ways = [first]
    for part in rest:
        ways = [f"{way}{between}{part}" for way in ways for between in ("", "*/")][:MOST]
    return [re.sub(r"\*+", "*", way) for way in ways]
