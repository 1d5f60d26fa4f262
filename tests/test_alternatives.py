"""One finding for functions of which one caller runs one: where it points, and of which runs it speaks."""

from __future__ import annotations

import pytest
from cases import Case, all_cases

from mmcodemod import pipeline
from mmcodemod.model.finding import Finding
from mmcodemod.source.tree import MemoryTree

MASKED = [case for case in all_cases() if case.slug == "mismatch_silently_masked"]


def case_of(words: str) -> Case:
    return next(case for case in MASKED if case.title.startswith(words))


def found_in(case: Case) -> Finding:
    return next(f for f in pipeline.check(MemoryTree(case.files)).findings if f.rule == "MM211")


def test_the_other_functions_are_related_places() -> None:
    finding = found_in(case_of("one of several functions"))
    assert finding.symbol == "of_pairs"
    assert [note.at.line for note in finding.related[:2]] == [36, 46]
    assert "`of_v1`" in finding.related[0].note
    assert "`of_other`" in finding.related[1].note


def test_the_runs_of_all_of_them_are_named_and_none_is_spared() -> None:
    case = case_of("two launches, two templates")
    report = pipeline.check(MemoryTree(case.files))
    assert found_in(case).contexts == ("one.sh:1", "two.sh:1")
    assert not [d for d in report.dismissed if d.rule == "MM211" and d.at.path.endswith(".sh")]


@pytest.mark.parametrize(
    ("words", "related"),
    [("the launches name the template", []), ("two launches, two templates", [46])],
)
def test_functions_that_no_run_chooses_are_not_related(words: str, related: list[int]) -> None:
    finding = found_in(case_of(words))
    assert [note.at.line for note in finding.related if "does the same" in note.note] == related
