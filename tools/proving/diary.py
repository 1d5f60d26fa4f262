"""What a showcase tells of itself: lines `diary {"rank": 0, ...}` in its output. It tells, judging.py judges.

`step` and `loss`: the loss of one step on this rank. `weight`, `when` and `fingerprint`: the hash of a
weight's bytes, `when` being `checkpoint`, `start` or `end` of training. `done`: the marker at the end.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field

_LINE = re.compile(r"\bdiary (?=\{)")

Prints = dict[tuple[int, str], str]  # fingerprints by rank and weight


@dataclass
class Diary:
    """All ranks' entries of one run."""

    losses: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    weights: dict[str, Prints] = field(default_factory=lambda: defaultdict(dict))
    done: dict[int, str] = field(default_factory=dict)


def read(text: str) -> Diary:
    """The diary in an output. Launchers mix the lines of ranks, so an entry may begin anywhere in a line."""
    diary = Diary()
    decoder = json.JSONDecoder()
    for found in _LINE.finditer(text):
        try:
            entry, _ = decoder.raw_decode(text, found.end())
        except json.JSONDecodeError:
            continue  # torn by another rank's line: what it said is missing, and missed by the judge
        _take(diary, entry)
    return diary


def _take(diary: Diary, entry: dict[str, object]) -> None:
    rank = entry.get("rank")
    if not isinstance(rank, int):
        return
    if isinstance(entry.get("loss"), (int, float)):
        diary.losses[rank].append(float(str(entry["loss"])))
    if "fingerprint" in entry:
        diary.weights[str(entry.get("when"))][rank, str(entry.get("weight"))] = str(entry["fingerprint"])
    if "done" in entry:
        diary.done[rank] = str(entry["done"])
