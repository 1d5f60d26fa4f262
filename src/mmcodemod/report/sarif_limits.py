"""What GitHub code scanning takes ("SARIF support for code scanning"): it rejects a file that has more.

It shows less than that by itself: 5,000 results, 1,000 steps and 100 places of each, 10 tags of a rule.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from typing import TypeVar

from mmcodemod.model.finding import Finding
from mmcodemod.report.order import loudest, ordered
from mmcodemod.report.words import count

RESULTS = 25_000
STEPS = 10_000  # of all flows of one result
PLACES = 1_000  # of one result
TAGS = 20  # of one rule
NAME, DESCRIPTION = 255, 1024  # characters
SIZE = 10_000_000  # bytes, compressed by gzip

T = TypeVar("T")


def smaller(findings: Sequence[Finding]) -> Iterator[list[Finding]]:
    """As many findings as one run may have, then half as many, and so on: the loudest stay."""
    number = min(len(findings), RESULTS)
    while number:
        yield ordered(loudest(findings)[:number])
        number //= 2
    yield []


def fits(text: str) -> bool:
    """Is the file small enough to be uploaded?"""
    data = text.encode("utf-8", "surrogatepass")
    return len(data) <= SIZE or len(gzip.compress(data, mtime=0)) <= SIZE


def both_ends(items: Sequence[T], most: int) -> Sequence[T]:
    """The first and the last ones, together at most so many."""
    if len(items) <= most:
        return items
    return [*items[: most // 2], *items[len(items) - (most - most // 2) :]]


def said(findings: Sequence[Finding], kept: Sequence[Finding]) -> Iterator[str]:
    """What was cut, in full sentences."""
    if len(kept) < len(findings):
        left_out = count(len(findings) - len(kept), "finding")
        yield f"{left_out} of {len(findings)} left out, the quietest: code scanning takes no larger file."
    if longer := sum(len(finding.trace) >= STEPS for finding in kept):
        yield f"The traces of {count(longer, 'finding')} were shortened to {STEPS} steps."
    if wider := sum(len(finding.related) > PLACES for finding in kept):
        yield f"The other places of {count(wider, 'finding')} were cut to {PLACES}."
