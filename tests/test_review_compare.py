"""Two reports compared, without repositories: what counts as new, as mended, and where it is told."""

from dataclasses import replace
from pathlib import Path

import pytest

from mmcodemod import pipeline
from mmcodemod.model.change import FileChange, News
from mmcodemod.model.context import Context, Entry, Strategy
from mmcodemod.model.finding import Dismissal, Finding, Note, Problem
from mmcodemod.model.grade import Severity
from mmcodemod.model.option import Option
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report.fingerprint import fingerprints
from mmcodemod.review.compare import Comparison, Version
from mmcodemod.review.diff import parse
from mmcodemod.source.tree import MemoryTree

SAMPLES = Path(__file__).parents[1] / "samples"


def finding(line=10, path="a.py", severity=Severity.ERROR, runs=("run.sh:1",), **more):
    return Finding("MM201", Place(path, line), "It hangs.", severity, contexts=runs, anchor="x", **more)


def context(run="run.sh:1", strategy=Strategy.ZERO3, **more):
    path, _, line = run.partition(":")
    return Context(run, Entry("a.py"), Place(path, int(line)), strategy, **more)


def compared(old, new, changes=(), **more):
    return Comparison(Version("old", old), Version("new", new), tuple(changes), **more)


RUN = (context(),)


def report(*findings, contexts=RUN, **more):
    return Report(findings, contexts=tuple(contexts), **more)


def edited(path, text):
    return parse(f"--- a/{path}\n+++ b/{path}\n{text}".encode())


JSON = edited("zero.json", "@@ -3,3 +3,3 @@\n a\n-b\n+c\n d\n")


def test_a_note_that_becomes_loud_is_activated():
    note = finding(severity=Severity.INFO)
    (told,) = compared(report(note), report(finding()), JSON).told()
    assert (told.news, told.contexts) == (News.ACTIVATED, ("run.sh:1",))
    assert list(compared(report(finding()), report(note), JSON).mended())
    assert not list(compared(report(note), report(), JSON).mended())


def test_a_warning_that_becomes_certain_is_told_and_the_other_way_is_not():
    warning = finding(severity=Severity.WARNING)
    assert len(list(compared(report(warning), report(finding()), JSON).told())) == 1
    other_way = compared(report(finding()), report(warning), JSON)
    assert not list(other_way.told()) and not list(other_way.mended())


def test_notes_are_told_only_when_they_are_wanted():
    note = finding(severity=Severity.INFO)
    assert not list(compared(report(), report(note), JSON).told())
    assert len(list(compared(report(), report(note), JSON, lowest=Severity.INFO).told())) == 1


def test_the_line_of_the_strategy_comes_before_other_lines_of_the_change():
    decided = Option(3, Place("zero.json", 4))
    new = replace(context(), strategy_from=decided)
    changes = (*JSON, *edited("train.py", "@@ -5 +5 @@\n-a\n+b\n"))
    step = finding(related=(Note(Place("train.py", 5), "on the way"),))
    (told,) = compared(
        report(contexts=[context(strategy=Strategy.ZERO2)]), report(step, contexts=[new]), changes
    ).told()
    assert told.at == Place("zero.json", 4)
    (told,) = compared(report(contexts=[new]), report(step, contexts=[new]), changes).told()
    assert told.at == Place("train.py", 5)


def test_the_launch_of_a_new_run_comes_before_other_lines_of_the_change():
    changes = (*edited("new.sh", "@@ -0,0 +1 @@\n+run\n"), *edited("train.py", "@@ -5 +5 @@\n-a\n+b\n"))
    runs = ("run.sh:1", "new.sh:1")
    both = finding(related=(Note(Place("train.py", 5), "on the way"),), runs=runs)
    old, new = report(finding()), report(both, contexts=map(context, runs))
    (told,) = compared(old, new, changes).told()
    assert (told.at, told.contexts) == (Place("new.sh", 1), ("new.sh:1",))


def test_an_option_that_changed_is_the_line_and_one_that_did_not_is_not():
    old = context(options={"bf16": Option(True, Place("run.sh", 1)), "lr": Option(1, Place("run.sh", 2))})
    new = context(options={"bf16": Option(False, Place("run.sh", 1)), "lr": Option(1, Place("run.sh", 2))})
    changes = edited("run.sh", "@@ -1,2 +1,2 @@\n-a\n-b\n+c\n+d\n")
    (told,) = compared(report(contexts=[old]), report(finding(), contexts=[new]), changes).told()
    assert told.at == Place("run.sh", 1)


def test_a_deleted_file_that_made_it_safe_leaves_no_line():
    safe = Dismissal("MM201", Place("a.py", 10), "safe", (Note(Place("gone.json", 1), "because"),))
    changes = (FileChange("gone.json", ""),)
    (told,) = compared(report(dismissed=(safe,)), report(finding()), changes).told()
    assert (told.news, told.at) == (News.ACTIVATED, None)


def test_equal_findings_are_counted_and_the_one_on_a_new_line_is_new():
    changes = edited("a.py", "@@ -1,2 +1,3 @@\n a\n+new\n b\n")
    old, new = report(finding(1), finding(2)), report(finding(1), finding(2), finding(3))
    (told,) = compared(old, new, changes).told()
    assert (told.finding.at.line, told.news) == (2, News.INTRODUCED)
    assert told.fingerprint == fingerprints(new.findings)[1]


def test_a_place_longer_than_the_hunk_is_cut_to_it():
    changes = edited("a.py", "@@ -8,3 +8,4 @@\n a\n+new\n b\n c\n")
    long = replace(finding(), at=Place("a.py", 9, 5, 40, 2))
    (told,) = compared(report(), report(long), changes).told()
    assert told.at == Place("a.py", 9, 5, 11)


def test_a_rule_that_crashes_mends_nothing():
    crash = Problem("", "rule", "MM201 modality crashed: KeyError: 1")
    assert not list(compared(report(finding()), report(problems=(crash,)), JSON).mended())
    assert list(compared(report(finding()), report(), JSON).mended())


def test_what_was_unreadable_at_the_base_is_said():
    broken = report(problems=(Problem("a.py", "syntax", "bad", 3),))
    found = compared(broken, report(finding()), edited("a.py", "@@ -1 +1 @@\n-(\n+x\n")).review()
    assert found.unknown == ("a.py cannot be read at the base (bad): what is in it counts as new.",)
    assert found.problems == ()


BEFORE = sorted([*SAMPLES.glob("*/showcase/before"), *SAMPLES.glob("seed_*/before")])


def shifted(path, data):
    """The same with lines above: no fingerprint may notice."""
    if path.endswith(".py"):
        return data if b"__future__" in data or data.startswith(b"#!") else b"# one\n\n# two\n" + data
    if path.endswith(".sh"):
        return data.replace(b"\n", b"\n# one\n\n", 1)
    if path.endswith((".yaml", ".yml", ".toml")):
        return b"# one\n\n" + data
    return b"\n\n" + data if path.endswith(".json") else data


@pytest.mark.parametrize("folder", BEFORE, ids=lambda folder: folder.relative_to(SAMPLES).parts[0])
def test_fingerprints_do_not_notice_lines_above(folder):
    files = {f.relative_to(folder).as_posix(): f.read_bytes() for f in folder.rglob("*") if f.is_file()}
    moved = {path: shifted(path, data) for path, data in files.items()}
    old, new = (pipeline.check(MemoryTree(tree)).findings for tree in (files, moved))
    assert old and sorted(fingerprints(old)) == sorted(fingerprints(new))
