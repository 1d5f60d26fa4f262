"""What the libraries answer: asked in an environment that has them, and kept in a file."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proving.environments import EnvironmentFault, Environments

from judging.case import Case
from judging.generate import digest
from judging.rows import Answer

FOLDER = Path(__file__).parent / "answers"
ORACLE = Path(__file__).parent / "oracle.py"
BATCH, LIMIT = 50, 300  # cases for one process, and the seconds that it has


@dataclass(frozen=True)
class Answers:
    """`cases` is the digest of what was asked, `versions` of the libraries that answered, by name."""

    cases: str
    versions: Mapping[str, str]
    by_case: Mapping[str, Answer]

    @property
    def release(self) -> str:
        return f"deepspeed {self.versions['deepspeed']}, transformers {self.versions['transformers']}"


def ask(name: str, known: Environments, found: Sequence[Case], work: Path) -> Answers:
    """Let the libraries of an environment load every case.

    Raises:
        EnvironmentFault: when the environment cannot be built, or its process fails or takes too long.
    """
    work.mkdir(parents=True, exist_ok=True)
    versions = json.loads(_run(name, known, work, "--versions"))
    by_case: dict[str, Answer] = {}
    for start in range(0, len(found), BATCH):
        asked, answered = work / "cases.json", work / "answers.jsonl"
        asked.write_text(
            json.dumps([case.record() for case in found[start : start + BATCH]]), encoding="utf-8"
        )
        _run(name, known, work, str(asked), str(answered))
        by_case |= dict(map(_answer, answered.read_text(encoding="utf-8").splitlines()))
    return Answers(digest(found), versions, by_case)


def _run(name: str, known: Environments, work: Path, *arguments: str) -> str:
    command = [str(known.python(name)), str(ORACLE), *arguments]
    variables = known.variables(name, work)
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=LIMIT)
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(f"{name}: no answer in {LIMIT} seconds") from error
    if done.returncode:
        raise EnvironmentFault(f"{name}: {done.stderr.strip()[-800:]}")
    return done.stdout.strip().rpartition("\n")[2]


def _answer(line: str) -> tuple[str, Answer]:
    told = json.loads(line)
    return told.pop("name"), told


def keep(name: str, found: Answers, folder: Path = FOLDER) -> None:
    head = json.dumps({"cases": found.cases, "versions": dict(found.versions)}, sort_keys=True)
    lines = [json.dumps({"name": case, **answer}, sort_keys=True) for case, answer in found.by_case.items()]
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.jsonl").write_text("\n".join([head, *lines, ""]), encoding="utf-8")


def kept(folder: Path = FOLDER) -> list[Answers]:
    """The newest release first."""
    found = [_read(file) for file in sorted(folder.glob("*.jsonl"))]
    return sorted(found, key=lambda answers: _order(answers.versions["deepspeed"]), reverse=True)


def _read(file: Path) -> Answers:
    head, *lines = file.read_text(encoding="utf-8").splitlines()
    told = json.loads(head)
    return Answers(told["cases"], told["versions"], dict(map(_answer, lines)))


def _order(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]
