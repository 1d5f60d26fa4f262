"""The data of the field trial, `docs/field-trial/*.jsonl`: one row a line, sorted, each with every key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "field-trial"
VERDICTS = ("right", "wrong", "unclear")
SEVERITIES = ("error", "warning")
LONGEST = 600  # characters of a reason: our own words, no excerpt of code

_COMMIT = re.compile(r"[0-9a-f]{40}")


class DataError(Exception):
    """Data that cannot be used; the message has one line for every mistake."""


@dataclass(frozen=True, order=True)
class Tree:
    """A repository of a round: what it trains with (`kind`), and how many findings it has."""

    round: int
    repository: str
    commit: str
    kind: str
    error: int
    warning: int
    info: int

    def mistakes(self) -> list[str]:
        return [] if _COMMIT.fullmatch(self.commit) else ["`commit` is 40 hexadecimal digits"]


@dataclass(frozen=True, order=True)
class Verdict:
    """A finding, judged against the code at first look, and the vote of the second reader. `mended`: what was
    done about it afterwards, if anything. `ends_before`: "yes" where it is wrong for one thing alone, that
    every run that it speaks of ends, of something else, before it comes to the place. `second` and its reason
    are empty in a round that had no second reader."""

    round: int
    repository: str
    commit: str
    rule: str
    file: str
    line: int
    severity: str
    verdict: str
    reason: str
    second: str
    second_reason: str
    mended: str = ""
    ends_before: str = ""

    @property
    def agreed(self) -> bool:
        return self.verdict == self.second

    def mistakes(self) -> list[str]:
        found = [] if _COMMIT.fullmatch(self.commit) else ["`commit` is 40 hexadecimal digits"]
        found += [f"no severity of the trial: {self.severity!r}"] if self.severity not in SEVERITIES else []
        read = (self.second,) if self.second or self.second_reason else ()
        found += [f"no verdict: {v!r}" for v in (self.verdict, *read) if v not in VERDICTS]
        found += (
            ["the second reader gives a reason"] if self.second and not self.second_reason.strip() else []
        )
        found += ends_before_mistakes(self.verdict, self.ends_before)
        found += [] if self.reason.strip() else ["a verdict needs a reason"]
        return found + [
            f"a reason is one line of at most {LONGEST} characters"
            for text in (self.reason, self.second_reason, self.mended)
            if "\n" in text or len(text) > LONGEST
        ]


def ends_before_mistakes(verdict: str, ends_before: str) -> list[str]:
    """What is wrong with that word beside this verdict."""
    if ends_before not in ("", "yes"):
        return [f"`ends_before` is yes or empty, not {ends_before!r}"]
    return ["only what is wrong may end before"] if ends_before and verdict != "wrong" else []


@dataclass(frozen=True, order=True)
class Foreseen:
    """What an independent reading expected to fail before `check` ran. `found`: did it say so (yes, no)?"""

    round: int
    repository: str
    file: str
    line: int
    what: str
    found: str
    reason: str

    def mistakes(self) -> list[str]:
        return [] if self.found in ("yes", "no") else [f"`found` is yes or no, not {self.found!r}"]


Row = TypeVar("Row", Tree, Verdict, Foreseen)


@dataclass(frozen=True)
class Trial:
    """Everything that is known of all rounds."""

    trees: Sequence[Tree] = ()
    verdicts: Sequence[Verdict] = ()
    foreseen: Sequence[Foreseen] = ()


def read(folder: Path = FOLDER) -> Trial:
    """The data of a folder; a file that is not there has no rows.

    Raises:
        DataError: listing every mistake.
    """
    trial = Trial(
        rows(Tree, folder / "trees.jsonl"),
        rows(Verdict, folder / "verdicts.jsonl"),
        rows(Foreseen, folder / "foreseen.jsonl"),
    )
    known = {(tree.round, tree.repository) for tree in trial.trees}
    spoken_of = {(v.round, v.repository) for v in trial.verdicts}
    others = (spoken_of | {(f.round, f.repository) for f in trial.foreseen}) - known
    if others:
        raise DataError("\n".join(f"trees.jsonl has no {name} in round {n}" for n, name in sorted(others)))
    return trial


def rows(kind: type[Row], file: Path) -> list[Row]:
    """The rows of one file, sorted.

    Raises:
        DataError: listing every mistake.
    """
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    found, mistakes = list[Row](), list[str]()
    for number, line in enumerate(lines, start=1):
        try:
            found.append(_row(kind, json.loads(line)))
        except (ValueError, TypeError) as error:
            mistakes.append(f"{file.name}:{number}: {error}")
    if mistakes:
        raise DataError("\n".join(mistakes))
    return sorted(found)


def _row(kind: type[Row], values: dict[str, Any]) -> Row:
    row: Row = kind(**values)
    mistakes = [*_kinds(row), *row.mistakes()]
    if mistakes:
        raise ValueError("; ".join(mistakes))
    return row


def _kinds(row: Tree | Verdict | Foreseen) -> Iterable[str]:
    """A number is a number, a text a text."""
    for field in fields(row):
        wanted = int if field.type == "int" else str
        if type(getattr(row, field.name)) is not wanted:
            yield f"`{field.name}` is no {wanted.__name__}"


def text(found: Iterable[Row]) -> str:
    """What a file of these rows holds."""
    return "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in sorted(found))


def write(file: Path, found: Iterable[Row]) -> None:
    """The same rows give the same bytes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text(found), encoding="utf-8", newline="\n")
