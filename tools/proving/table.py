"""docs/proofs.md: one row for each rule and environment. The rows of proofs that were not run now stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from proving.proof import Result
from proving.spec import Proof

HEAD = """# Proofs

Written by `python tools/prove.py`; do not edit. Each row is a showcase (`samples/<rule>/showcase/before`, a
small training repository with a random model) that was run on two CPU ranks, in the versions named.

*proved*: its output held the text under "seen before"; `mmcodemod fix --apply --unsafe` wrote its patch into
a copy, and nothing more the second time; that copy ran to its end on every rank, with losses that are finite
and fall, and the named weights moved; without the patch the failure came back. *does not fail*: in these
versions the unfixed showcase trains. No row: not proved by a run.

Several rules stand in the rows of whole systems (`samples/seed_*`): all of them are found, and all are fixed.
"seconds" are those of each run; *sound* is another launch of the same files, which trains unfixed and of
which the check says nothing. *try 2*: the proof did not hold at first, and was run again.

"proof of" is the digest of the showcase, of what the tool makes of it, and of `proof.toml`. A test compares
it with the files as they are now, so that a row cannot outlive what it proves.

| rule | versions | seen before | result | seconds | weights moved | proof of |
|---|---|---|---|---|---|---|
"""
UNPROVED = """
## Not proved by a run

| rule | why not |
|---|---|
"""
PROVED, ABSENT = "proved", "does not fail"
_ROW = re.compile(
    r"^\| (?P<name>\w+)[^|]* \| (?P<versions>[^|]*) \| .* \| (?P<result>[^|]*) \| [^|]* \| [^|]* "
    r"\| `(?P<digest>\w+)` \|$"
)


@dataclass(frozen=True, order=True)
class Row:
    """One line of the table; `name` is that of the proof."""

    name: str
    versions: str
    line: str
    result: str
    digest: str


def rows(text: str) -> list[Row]:
    """The rows of a table as it is written."""
    found = (_ROW.match(line) for line in text.splitlines())
    return [Row(m["name"], m["versions"], m[0], m["result"], m["digest"]) for m in found if m]


def row(result: Result, versions: Mapping[str, str], tries: int = 1) -> Row:
    """The row of a result that the last of so many tries gave."""
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    seen = f"`{_cell(result.error)}`" if result.error else "none"
    outcome = PROVED if result.run.fails else ABSENT
    moved = ", ".join(f"`{name}`" for name in result.proof.moved)
    seconds = ", ".join(f"{step} {seconds:.0f}" for step, seconds in result.seconds.items())
    seconds += f" (try {tries})" if tries > 1 else ""
    cells = (_title(result.proof), told, seen, outcome, seconds, moved, f"`{result.digest}`")
    return Row(result.proof.name, told, f"| {' | '.join(cells)} |", outcome, result.digest)


def _title(proof: Proof) -> str:
    """`MM201`, or `seed_llava: MM103, MM303`."""
    codes = ", ".join(proof.rules)
    return codes if proof.name == codes else f"{proof.name}: {codes}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("`", "'")


def write(file: Path, proved: Iterable[Row], tried: Iterable[str], unproved: Mapping[str, str]) -> None:
    """Replace the rows of the proofs that were tried: what did not hold this time is taken out.

    `unproved` says, by rule, why there is no proof.
    """
    gone = set(tried)
    old = rows(file.read_text(encoding="utf-8")) if file.is_file() else []
    kept = [r for r in old if r.name not in gone]
    lines = [r.line + "\n" for r in sorted({*kept, *proved})]
    reasons = [f"| {rule} | {_cell(why)} |\n" for rule, why in sorted(unproved.items())]
    file.write_text("".join([HEAD, *lines, UNPROVED, *reasons]), encoding="utf-8")
