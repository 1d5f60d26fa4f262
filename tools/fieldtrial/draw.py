"""Draws the findings of a round: warnings and errors of many trees, in an order that a seed decides."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldtrial.data import SEVERITIES, DataError, Tree

Object = dict[str, Any]


@dataclass(frozen=True)
class Checked:
    """A tree on this machine, and what `check --format json` said of it."""

    repository: str
    commit: str
    kind: str
    tree: Path
    report: Path


@dataclass(frozen=True)
class Place:
    """A line of a tree; `note` is what the tool says of it."""

    path: str
    line: int
    note: str


@dataclass(frozen=True)
class Drawn:
    """A finding to judge. `launches` are the runs that it concerns, `trace` the way to it."""

    id: str
    tree: Checked
    rule: str
    name: str
    severity: str
    file: str
    line: int
    message: str
    launches: tuple[Place, ...]
    trace: tuple[Place, ...]


def manifest(file: Path) -> list[Checked]:
    """The trees of a round, one JSON object a line, with the fields of `Checked`.

    Raises:
        DataError: when the file cannot be used.
    """
    try:
        every = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        return [
            Checked(e["repository"], e["commit"], e["kind"], Path(e["tree"]), Path(e["report"]))
            for e in every
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{file.name}: {type(error).__name__}: {error}") from error


def trees(number: int, checked: Sequence[Checked]) -> list[Tree]:
    """The rows of the trees of a round, those without a finding as well."""
    found = []
    for one in checked:
        n = Counter(finding["severity"] for finding in _report(one)["findings"])
        found.append(Tree(number, one.repository, one.commit, one.kind, n["error"], n["warning"], n["info"]))
    return found


def drawn(number: int, checked: Sequence[Checked], seed: int, count: int = 0) -> list[Drawn]:
    """The findings to judge: all, or the first `count`. A digest orders them, so that a tree more leaves the
    order of the others as it is; another digest names them, so that no answer can come to another finding."""
    every: dict[str, Drawn] = {}
    for one in checked:
        report = _report(one)
        found = [_drawn(number, one, f, report) for f in report["findings"] if f["severity"] in SEVERITIES]
        every |= {each.id: each for each in found}
    return sorted(every.values(), key=lambda each: shuffled(seed, each))[: count or None]


def shuffled(seed: int | str, one: Drawn) -> str:
    """A place in an order that has nothing to do with what the finding says."""
    return hashlib.sha256(f"{seed} {one.id}".encode()).hexdigest()


def _report(one: Checked) -> Object:
    try:
        found: Object = json.loads(one.report.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{one.repository}: no report of `check --format json`: {error}") from error
    return found


def _drawn(number: int, one: Checked, finding: Object, report: Object) -> Drawn:
    key = f"{one.repository} {finding['rule']} {finding['path']}:{finding['line']} {finding['message']}"
    runs = {context["id"]: context for context in report["contexts"]}
    launched = [runs[name] for name in finding["contexts"] if runs[name]["launcher"]]
    steps = [*finding["trace"], *finding["related"]]
    return Drawn(
        f"{number}-{hashlib.sha256(key.encode()).hexdigest()[:10]}",
        one,
        finding["rule"],
        finding["name"],
        finding["severity"],
        finding["path"],
        finding["line"],
        finding["message"],
        tuple(Place(c["launcher"]["path"], c["launcher"]["line"], c["command"]) for c in launched),
        tuple(Place(step["path"], step["line"], step["note"]) for step in steps),
    )
