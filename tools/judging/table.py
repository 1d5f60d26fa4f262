"""docs/judged.md: how far what the rules say agrees with what the libraries do."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from judging.answers import Answers
from judging.case import Case
from judging.generate import digest
from judging.reasons import REASONS
from judging.rows import ROWS, Row, Said
from mmcodemod import pipeline
from mmcodemod.source.tree import MemoryTree

Outcome = Literal["said", "silent", "alarm", "missed", "unasked"]
Check = Callable[[Case, Mapping[str, str]], Sequence[Said]]
UNEXPLAINED = "UNEXPLAINED"

HEAD = """# Judged by DeepSpeed itself

Written by `python tools/judge.py`; do not edit. {count} configurations, generated from the seed {seed}
(digest `{cases}`), were loaded by the libraries' own code: `HfArgumentParser`, `HfTrainerDeepSpeedConfig`
with its `trainer_config_process` and `trainer_config_finalize`, and `DeepSpeedConfig`. Pretended were the
number of ranks and a GPU. Beside it, `mmcodemod check` judged a small tree with the same configuration, its
launch and the pinned versions.

Each configuration is held against every row, not only against the rule that it was made for. *said*: a rule
says it, and it is so. *silent*: no rule says it, and it is not so. *unasked*: the libraries do not get that
far, or the other loader reads the file. "is not read" is what DeepSpeed has not asked the configuration for;
"another schedule" compares the learning rates of 100 steps after the warm-up. What a running engine does with
an accepted value, it does not show: nothing here judges that `stage3_*` keys are idle at stage 2, or that the
overlap of MM310 goes wrong.

Verdicts of this table: `{verdicts}`. A test makes the table anew from the kept answers, and fails when it
differs.

| rule | what it says | release | said | silent | disagreements | unasked |
|---|---|---|---|---|---|---|
"""
MIDDLE = """
## Disagreements

| rule | configuration | releases | how | cases | why it is left so |
|---|---|---|---|---|---|
"""
HOW = {"alarm": "the rule says it, the libraries go on", "missed": "no rule says it"}


@dataclass(frozen=True)
class Judged:
    """One configuration against one row, in one release."""

    row: Row
    release: str
    case: Case
    outcome: Outcome


def judged(found: Sequence[Case], answers: Sequence[Answers], check: Check) -> list[Judged]:
    """Everything against everything."""
    every = []
    for of in answers:
        for case in found:
            said = check(case, of.versions)
            every += [Judged(row, of.release, case, _outcome(row, case, of, said)) for row in ROWS]
    return every


def checked(case: Case, versions: Mapping[str, str]) -> Sequence[Said]:
    """What mmcodemod finds in the tree of a case."""
    pins = {name: versions[name] for name in ("deepspeed", "transformers")}
    findings = pipeline.check(MemoryTree(case.tree(pins)), pipeline.Settings(preview=True)).findings
    return [Said(f.rule, f.severity.name.lower(), f.message) for f in findings]


def _outcome(row: Row, case: Case, answers: Answers, findings: Sequence[Said]) -> Outcome:
    holds, said = row.holds(case, answers.by_case[case.name]), row.said(findings)
    if holds is None:
        return "unasked"
    if holds:
        return "said" if said else "missed"
    return "alarm" if said else "silent"


def text(seed: int, found: Sequence[Case], every: Sequence[Judged]) -> str:
    told = "\n".join(f"{j.release} {j.case.name} {j.row.statement} {j.outcome}" for j in every)
    verdicts = hashlib.sha256(told.encode()).hexdigest()[:12]
    head = HEAD.format(count=len(found), seed=seed, cases=digest(found), verdicts=verdicts)
    return head + "".join(_counts(every)) + MIDDLE + "".join(_disagreements(every))


def _counts(every: Sequence[Judged]) -> list[str]:
    lines = []
    for row in ROWS:
        for release in dict.fromkeys(j.release for j in every):
            n = Counter(j.outcome for j in every if j.row == row and j.release == release)
            numbers = f"{n['said']} | {n['silent']} | {n['alarm'] + n['missed']} | {n['unasked']}"
            lines.append(f"| {row.rule} | {row.statement} | {release} | {numbers} |\n")
    return lines


def _disagreements(every: Sequence[Judged]) -> list[str]:
    groups: dict[tuple[str, str, str], list[Judged]] = {}
    for j in every:
        if j.outcome in HOW:
            groups.setdefault((j.row.rule, j.case.kind, j.outcome), []).append(j)
    return [_disagreement(*key, group) for key, group in sorted(groups.items())]


def _disagreement(rule: str, kind: str, outcome: str, group: Sequence[Judged]) -> str:
    releases = ", ".join(sorted({j.release.partition(",")[0].removeprefix("deepspeed ") for j in group}))
    cases = ", ".join(sorted({j.case.name for j in group}))
    why = REASONS.get((rule, kind), UNEXPLAINED)
    return f"| {rule} | {kind} | {releases} | {HOW[outcome]} | {cases} | {why} |\n"
