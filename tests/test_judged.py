"""The rules on DeepSpeed configurations agree with DeepSpeed, as docs/judged.md says, or a reason is given.

With interpreters that have the libraries, the answers are asked for anew:
MMCODEMOD_JUDGE="base=/path/to/python judge-0.16.9=/path/to/python" pytest tests/test_judged.py
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import judge as program  # noqa: E402
from judging import answers, kinds, table  # noqa: E402
from judging.case import RAW, TRAINER, Case  # noqa: E402
from judging.generate import cases, digest  # noqa: E402
from judging.reasons import REASONS  # noqa: E402
from judging.rows import ROWS, Answer, Said  # noqa: E402
from proving.environments import Environments  # noqa: E402

FOUND = cases(program.SEED, program.COUNT)
KEPT = answers.kept()
GIVEN = dict(pair.split("=", 1) for pair in os.environ.get("MMCODEMOD_JUDGE", "").split())


@pytest.fixture(scope="module")
def judged() -> list[table.Judged]:
    return table.judged(FOUND, KEPT, table.checked)


def test_the_page_is_what_check_says_today(judged: list[table.Judged]) -> None:
    page = (ROOT / "docs" / "judged.md").read_text(encoding="utf-8")
    assert page == table.text(program.SEED, FOUND, judged), "python tools/judge.py --table"


def test_the_answers_are_to_these_cases() -> None:
    assert len(KEPT) == len(program.ENVIRONMENTS)
    for kept in KEPT:
        assert kept.cases == digest(FOUND), "python tools/judge.py"
        assert sorted(kept.by_case) == [case.name for case in FOUND]


def test_every_disagreement_has_a_reason_and_no_reason_is_left_over(judged: list[table.Judged]) -> None:
    apart = {(j.row.rule, j.case.kind) for j in judged if j.outcome in table.HOW}
    assert apart == set(REASONS)


def test_no_rule_claims_what_the_libraries_deny(judged: list[table.Judged]) -> None:
    assert [j for j in judged if j.outcome == "alarm"] == []


def test_every_row_is_seen_to_hold_in_some_release(judged: list[table.Judged]) -> None:
    said = {j.row for j in judged if j.outcome == "said"}
    assert [row.statement for row in ROWS if row not in said] == []


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_the_libraries_still_answer_so(name: str, tmp_path: Path) -> None:
    known = Environments(tmp_path, {name: Path(GIVEN[name])})
    asked = answers.ask(name, known, FOUND, tmp_path / "work")
    (kept,) = [each for each in KEPT if each.versions == asked.versions]
    assert asked == kept


# -- generating ----------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_cases_and_another_gives_others() -> None:
    assert cases(3, 60) == cases(3, 60)
    assert digest(cases(3, 60)) != digest(cases(4, 60))


def test_every_kind_is_generated_by_both_loaders_where_it_can_be() -> None:
    made = {(case.kind, case.loader) for case in FOUND}
    for kind in kinds.KINDS:
        wanted = {kind.loader} if kind.loader else {TRAINER, RAW}
        assert {loader for name, loader in made if name == kind.name} == wanted, kind.name


def test_a_misspelt_word_is_another_one() -> None:
    import random

    words = [kinds.misspelt("overlap_comm", random.Random(seed)) for seed in range(50)]
    assert "overlap_comm" not in words


# -- judging -------------------------------------------------------------------------------------------


def _case(loader: str = TRAINER, text: str = "{}", kind: str = "usual") -> Case:
    return Case("000", kind, loader, 2, text)


def _accepts(**seen: object) -> Answer:
    usual = {
        "clipping": 1.0,
        "max_grad_norm": 1.0,
        "stage": 2,
        "overlap": False,
        "gather": False,
        "unread": [],
    }
    return {"outcome": "accepts", **usual, **seen}


def _rejects(error: str) -> Answer:
    return {"outcome": "rejects", "error": error}


EXTRA = "ValidationError: overlap_com Extra inputs are not permitted"
MISMATCH = "ValueError: Please correct ...: - ds gradient_clipping=0.5 vs hf max_grad_norm=1.0"
STOPS = Said("MM506", "error", 'DeepSpeed stops at "overlap_com"')


def _outcomes(case: Case, answer: Answer, *said: Said) -> dict[tuple[str, str], str]:
    of = answers.Answers("", {"deepspeed": "0.1", "transformers": "1.0"}, {case.name: answer})

    def check(_: Case, __: Mapping[str, str]) -> Sequence[Said]:
        return said

    return {(j.row.rule, j.row.statement): j.outcome for j in table.judged([case], [of], check)}


@pytest.mark.parametrize(
    ("answer", "said", "outcome"),
    [
        (_rejects(EXTRA), (STOPS,), "said"),
        (_rejects(EXTRA), (), "missed"),
        (_rejects(EXTRA), (replace(STOPS, rule="MM507"),), "missed"),
        (_accepts(), (STOPS,), "alarm"),
        (_accepts(), (), "silent"),
        (_rejects("JSONDecodeError: ..."), (STOPS,), "unasked"),
    ],
)
def test_what_is_said_is_held_against_the_answer(answer: Answer, said: Sequence[Said], outcome: str) -> None:
    assert _outcomes(_case(), answer, *said)["MM506", "stops: a key is not known"] == outcome


@pytest.mark.parametrize(
    ("rule", "case", "answer"),
    [
        ("MM110", _case(), _accepts(stage=3)),
        ("MM303", _case(), _accepts(clipping=0.0)),
        ("MM303", _case(RAW), _accepts(clipping=0.0)),
        ("MM310", _case(), _accepts(overlap=True)),
        ("MM502", _case(), _rejects(MISMATCH)),
        ("MM307", _case(), _rejects("ValueError: - ds fp16.enabled=True vs hf fp16=False")),
        ("MM503", _case(RAW), _rejects("AssertionError: Check batch related parameters.")),
        ("MM501", _case(RAW), _rejects("ValueError: Duplicate keys in DeepSpeed config")),
        ("MM506", _case(), _accepts(unread=["gradient_cliping"])),
        ("MM512", replace(_case(), flags=("--lr_scheduler_type", "cosine")), _accepts(schedule="another")),
        ("any rule", _case(), _rejects("TypeError: ...")),
    ],
)
def test_what_the_libraries_do_is_missed_by_a_tool_that_is_silent(
    rule: str, case: Case, answer: Answer
) -> None:
    found = _outcomes(case, answer)
    assert "missed" in {outcome for (code, _), outcome in found.items() if code == rule}
    assert "missed" not in _outcomes(case, _accepts()).values()


def test_a_disagreement_without_a_reason_is_told() -> None:
    case = _case(kind="a kind without reasons")
    of = answers.Answers("", {"deepspeed": "0.1", "transformers": "1.0"}, {case.name: _rejects(EXTRA)})
    text = table.text(1, [case], table.judged([case], [of], lambda *_: ()))
    assert text.count(table.UNEXPLAINED) == 2  # of MM506, and of any rule


def test_answers_are_read_as_they_are_kept(tmp_path: Path) -> None:
    for each in KEPT:
        answers.keep(each.versions["deepspeed"], each, tmp_path)
    assert answers.kept(tmp_path) == KEPT
