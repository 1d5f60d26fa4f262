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


def test_a_run_whose_template_does_not_show_is_not_named_beside_one_that_is_known() -> None:
    finding = found_in(case_of("a launch with an open template beside one"))
    assert finding.contexts == ("two.sh:1",)
    may = [note for note in finding.related if "whose template does not show" in note.note]
    assert [note.at.line for note in may] == [26, 46]


def test_the_loss_without_labels_is_that_of_the_run() -> None:
    case = case_of("a preference loss")
    finding = found_in(case)
    assert "goes on with a loss of log 2 and" in finding.message
    lines = case.files["train.py"].splitlines()
    assert [lines[note.at.line - 1].strip()[:19] for note in finding.related] == [b"return -logsigmoid("]
    assert "goes on with a loss of 0 or NaN and" in found_in(case_of("the count of the turns")).message


def test_of_several_runs_the_message_knows_both_losses() -> None:
    files = dict(case_of("a preference loss").files)
    files["plain.py"] = (
        b"from transformers import Trainer\nfrom train import Talks\n\nif __name__ == '__main__':\n"
    )
    files["plain.py"] += b"    Trainer(model=build(), train_dataset=Talks(read())).train()\n"
    files["plain.sh"] = b"torchrun --nproc_per_node 8 plain.py\n"
    finding = next(f for f in pipeline.check(MemoryTree(files)).findings if f.rule == "MM211")
    assert finding.contexts == ("plain.sh:1", "run.sh:1")
    assert "a loss of 0 or NaN (log 2 where it compares two answers)" in finding.message
