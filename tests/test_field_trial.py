"""The field trial: what is drawn, the sheets of both readers, their votes joined, and docs/field-trial.md."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import field_trial as program
import pytest
from fieldtrial import data, draw, fresh, page, sheets
from fieldtrial.data import DataError, Foreseen, Tree, Trial, Verdict

from mmcodemod import pipeline
from mmcodemod.engine.registry import names
from mmcodemod.report.json import render
from mmcodemod.source.tree import text_tree

ROOT = Path(__file__).parents[1]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
UNCLIPPED = {
    "ds.json": '{"zero_optimization": {"stage": 2}}\n',
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
    "train.py": "from transformers import Trainer\nTrainer(model=build(), args=args).train()\n",
    "requirements.txt": "deepspeed==0.14.4\n",
}
CLEAN = {"train.py": "print('nothing to find')\n"}


def _verdict(**changes: object) -> Verdict:
    usual = {
        "round": 1,
        "repository": "some/one",
        "commit": COMMIT,
        "rule": "MM303",
        "file": "ds.json",
        "line": 1,
        "severity": "warning",
        "verdict": "right",
        "reason": "nothing clips",
        "second": "right",
        "second_reason": "no clipping is set",
    }
    return Verdict(**{**usual, **changes})


def _tree(**changes: object) -> Tree:
    usual = {"round": 1, "repository": "some/one", "commit": COMMIT, "kind": "Trainer"}
    return Tree(**{**usual, "error": 0, "warning": 1, "info": 2, **changes})


@pytest.fixture
def trees(tmp_path):
    """The manifest of three small repositories that `check` has looked at."""
    lines = []
    for name, files in {"some/one": UNCLIPPED, "some/other": UNCLIPPED, "a/clean": CLEAN}.items():
        folder = tmp_path / name.replace("/", "_")
        folder.mkdir()
        for path, text in files.items():
            (folder / path).write_text(text)
        report = tmp_path / f"{folder.name}.json"
        report.write_text(render(pipeline.check(text_tree(files)), names()))
        place = {"tree": str(folder), "report": str(report)}
        lines.append(json.dumps({"repository": name, "commit": COMMIT, "kind": "Trainer", **place}))
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("".join(f"{line}\n" for line in lines))
    return manifest


# -- the page and the data as they are -------------------------------------------------------------------


def test_the_page_is_made_of_the_data() -> None:
    told = (ROOT / "docs" / "field-trial.md").read_text(encoding="utf-8")
    assert told == page.text(data.read()), "python tools/field_trial.py page"


def test_the_data_are_as_the_tool_writes_them() -> None:
    trial = data.read()
    for name in ("trees", "verdicts", "foreseen"):
        file = data.FOLDER / f"{name}.jsonl"
        assert not file.is_file() or file.read_text(encoding="utf-8") == data.text(getattr(trial, name))


# -- drawing ---------------------------------------------------------------------------------------------


def test_warnings_and_errors_are_drawn_and_notes_are_not(trees) -> None:
    found = draw.drawn(1, draw.manifest(trees), seed=7)
    assert sorted((one.tree.repository, one.rule, one.file, one.line) for one in found) == [
        ("some/one", "MM303", "ds.json", 1),
        ("some/other", "MM303", "ds.json", 1),
    ]
    report = Path(draw.manifest(trees)[0].report)
    said = json.loads(report.read_text())
    for finding in said["findings"]:
        finding["severity"] = "info"
    report.write_text(json.dumps(said))
    assert [one.tree.repository for one in draw.drawn(1, draw.manifest(trees), seed=7)] == ["some/other"]


def _many(count: int) -> list[draw.Drawn]:
    one = draw.Checked("some/one", COMMIT, "Trainer", Path(), Path())
    return [
        draw.Drawn(f"1-{n:010}", one, "MM303", "", "warning", "ds.json", n, "", (), ()) for n in range(count)
    ]


def test_a_tree_that_was_seen_before_is_refused(tmp_path) -> None:
    (tmp_path / "some_rule").mkdir()
    (tmp_path / "some_rule" / "rule.md").write_text("A warning in Kingfisher; none in Wren-2.\n")
    names = ("a/warning", "a/Kingfisher2", "a/Kingfisher", "b/Wren", "B/Older", "c/Now")
    checked = [draw.Checked(name, COMMIT, "Trainer", Path(), Path()) for name in names]
    earlier = [Tree(2, "b/older", COMMIT, "Trainer", 0, 0, 0), Tree(3, "c/Now", COMMIT, "Trainer", 0, 0, 0)]
    with pytest.raises(DataError) as refused:
        fresh.must_be_fresh(3, checked, earlier, tmp_path)
    said = ["B/Older: round 2 had it", "a/Kingfisher: the page of some_rule names it"]
    assert str(refused.value).splitlines() == said


def test_a_seed_decides_the_order_and_a_tree_more_leaves_it() -> None:
    many = _many(40)
    turned = many[::-1]
    first, other = (sorted(many, key=lambda one: draw.shuffled(seed, one)) for seed in (1, 2))
    assert first == sorted(turned, key=lambda one: draw.shuffled(1, one))
    assert len({tuple(one.line for one in order) for order in (first, other, many)}) == 3
    some = sorted(many[:20], key=lambda one: draw.shuffled(1, one))
    assert [one for one in first if one.line < 20] == some


def test_a_finding_keeps_its_name_whatever_else_is_drawn(trees) -> None:
    every = draw.manifest(trees)
    both, alone = draw.drawn(1, every, seed=7), draw.drawn(1, every[:1], seed=8)
    assert len({one.id for one in both}) == 2
    assert {one.id for one in alone} < {one.id for one in both}
    assert draw.drawn(1, every, seed=7, count=1) == both[:1]


def test_a_tree_without_a_finding_is_a_row(trees) -> None:
    found = {tree.repository: tree for tree in draw.trees(1, draw.manifest(trees))}
    assert found["a/clean"] == Tree(1, "a/clean", COMMIT, "Trainer", 0, 0, 0)
    assert (found["some/one"].error, found["some/one"].warning) == (0, 1)


# -- the sheets ------------------------------------------------------------------------------------------


def test_the_second_reader_sees_code_and_message_alone(trees, tmp_path) -> None:
    found = draw.drawn(1, draw.manifest(trees), seed=7)
    sheets.write(tmp_path / "sheets", found)
    judge, blind = ((tmp_path / "sheets" / f"{name}.md").read_text() for name in ("judge", "blind"))
    for one in found:
        assert one.id in judge and one.id in blind
        assert one.message in judge and one.message in blind
        assert one.tree.repository in judge and all(at.note in judge for at in one.trace)
    assert '>    1 {"zero_optimization"' in blind and "deepspeed train.py" in blind
    prose = {at.note for one in found for at in one.trace} - {text.strip() for text in UNCLIPPED.values()}
    assert prose, "some notes are not code"
    for hidden in ("MM303", "ds-gradient-clipping-absent", "(warning)", "some/one", *prose):
        assert hidden not in blind


def test_sheets_with_answers_are_not_written_over(trees, tmp_path) -> None:
    arguments = ["--trees", str(trees), "--sheets", str(tmp_path / "s"), "--data", str(tmp_path / "d")]
    assert program.main(["draw", *arguments]) == 0
    (tmp_path / "s" / "blind.jsonl").write_text("answers\n")
    assert program.main(["draw", *arguments]) == 2
    assert (tmp_path / "s" / "blind.jsonl").read_text() == "answers\n"


def _answer(file: Path, **changes: object) -> None:
    """Fill in a file for answers: all right, with these changes to the first."""
    answers = [json.loads(line) for line in file.read_text().splitlines()]
    answers = [{**each, "verdict": "right", "reason": "it is so"} for each in answers]
    answers[0] |= changes
    file.write_text("".join(json.dumps(each) + "\n" for each in answers))


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        ({"verdict": ""}, "not ''"),
        ({"verdict": "perhaps"}, "not 'perhaps'"),
        ({"reason": " "}, "a reason is missing"),
        ({"reason": None}, "AttributeError"),
        ({"ends_before": "yes"}, "only what is wrong may end before"),
        ({"verdict": "wrong", "ends_before": "no"}, "`ends_before` is yes or empty"),
        ({"id": "1-0000000000"}, "no finding was drawn as 1-0000000000"),
    ],
)
def test_an_answer_that_is_none_is_refused(trees, tmp_path, capsys, changes, objection) -> None:
    arguments = ["--trees", str(trees), "--sheets", str(tmp_path / "s"), "--data", str(tmp_path / "d")]
    program.main(["draw", *arguments])
    _answer(tmp_path / "s" / "judge.jsonl", **changes)
    _answer(tmp_path / "s" / "blind.jsonl")
    assert program.main(["join", *arguments]) == 2
    assert objection in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


def test_every_finding_must_be_answered_once(trees, tmp_path) -> None:
    found = draw.drawn(1, draw.manifest(trees), seed=7)
    sheets.write(tmp_path, found)
    _answer(tmp_path / "judge.jsonl")
    first, second = (tmp_path / "judge.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "judge.jsonl").write_text(first)
    with pytest.raises(DataError, match=f"no answer for {json.loads(second)['id']}"):
        sheets.votes(tmp_path / "judge.jsonl", found)
    (tmp_path / "judge.jsonl").write_text(first + second + first)
    with pytest.raises(DataError, match="answered twice"):
        sheets.votes(tmp_path / "judge.jsonl", found)


# -- the way from reports to the page --------------------------------------------------------------------


def test_from_reports_to_the_page(trees, tmp_path) -> None:
    folder = tmp_path / "trial"
    arguments = ["--trees", str(trees), "--sheets", str(tmp_path / "s"), "--data", str(folder), "--seed", "7"]
    assert program.main(["draw", *arguments]) == 0
    _answer(tmp_path / "s" / "judge.jsonl", verdict="wrong", reason="a module is missing", ends_before="yes")
    _answer(tmp_path / "s" / "blind.jsonl")
    assert program.main(["join", *arguments]) == 0
    trial = data.read(folder)
    assert sorted(v.verdict for v in trial.verdicts) == ["right", "wrong"]
    assert [v.reason for v in trial.verdicts if v.verdict == "wrong"] == ["a module is missing"]
    assert [v.verdict for v in trial.verdicts if v.ends_before] == ["wrong"]
    assert [tree.repository for tree in trial.trees] == ["a/clean", "some/one", "some/other"]
    told = (tmp_path / "trial.md").read_text()
    assert told == page.text(trial)
    assert "| 1 | 3 | 2 | 1 | 1 | 0 | 50.0 % | 1 | 100.0 % | 1 of 2 |" in told


def test_a_round_without_a_second_reader_says_so(trees, tmp_path) -> None:
    folder = tmp_path / "trial"
    arguments = ["--trees", str(trees), "--sheets", str(tmp_path / "s"), "--data", str(folder), "--seed", "7"]
    assert program.main(["draw", *arguments]) == 0
    _answer(tmp_path / "s" / "judge.jsonl")
    assert program.main(["join", *arguments]) == 2
    assert program.main(["join", *arguments, "--alone"]) == 0
    trial = data.read(folder)
    assert {(v.verdict, v.second, v.second_reason) for v in trial.verdicts} == {("right", "", "")}
    told = (tmp_path / "trial.md").read_text()
    assert "| 1 | 3 | 2 | 2 | 0 | 0 | 100.0 % | 0 | 100.0 % | no second reader |" in told
    assert _lines(told, "Where the readers disagree") == []


def test_what_was_mended_stays_when_a_round_is_joined_again(tmp_path) -> None:
    program.keep(tmp_path, [_tree()], [_verdict(verdict="wrong", mended="a guard more")], 1)
    program.keep(tmp_path, [_tree(round=2)], [_verdict(round=2)], 2)
    again = [_verdict(verdict="wrong"), _verdict(line=9)]
    program.keep(tmp_path, [_tree(warning=2)], again, 1)
    trial = data.read(tmp_path)
    assert [(v.round, v.line, v.mended) for v in trial.verdicts] == [
        (1, 1, "a guard more"),
        (1, 9, ""),
        (2, 1, ""),
    ]
    assert [tree.warning for tree in trial.trees] == [2, 1]


# -- the page --------------------------------------------------------------------------------------------


def _lines(told: str, title: str) -> list[str]:
    """The rows of the table below a heading."""
    section = told.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("|")][2:]


def test_the_page_counts_lists_what_is_wrong_and_where_readers_differ() -> None:
    unclear = _verdict(line=7, rule="MM401", verdict="unclear", reason="no launch", second="unclear")
    wrong = _verdict(line=3, verdict="wrong", reason="a wrapper | clips", mended="a guard more")
    trial = Trial(
        [_tree(), _tree(round=2, repository="some/other")],
        [_verdict(), wrong, unclear, _verdict(round=2, repository="some/other")],
        [Foreseen(1, "some/one", "train.py", 5, "rank 0 waits alone", "no", "the call is built at run time")],
    )
    told = page.text(trial)
    assert _lines(told, "Rounds") == [
        "| 1 | 1 | 3 | 1 | 1 | 1 | 33.3 % | 0 | 33.3 % | 2 of 3 |",
        "| 2 | 1 | 1 | 1 | 0 | 0 | 100.0 % | 0 | 100.0 % | 1 of 1 |",
    ]
    assert _lines(told, "Rules") == [
        "| MM303 | 1 | 2 | 1 | 1 | 0 |",
        "| MM303 | 2 | 1 | 1 | 0 | 0 |",
        "| MM401 | 1 | 1 | 0 | 0 | 1 |",
    ]
    assert _lines(told, "Findings that are wrong or unclear") == [
        "| 1 | MM303 | some/one | `ds.json:3` | warning | wrong | a wrapper \\| clips | a guard more |",
        "| 1 | MM401 | some/one | `ds.json:7` | warning | unclear | no launch | - |",
    ]
    assert _lines(told, "Where the readers disagree") == [
        "| 1 | MM303 | some/one | `ds.json:3` | wrong | a wrapper \\| clips | right | no clipping is set |"
    ]
    assert _lines(told, "What an independent reading foresaw") == [
        "| 1 | some/one | `train.py:5` | rank 0 waits alone | no | the call is built at run time |"
    ]
    assert len(_lines(told, "Every verdict")) == 4


def test_what_runs_end_before_is_counted_apart_and_stays_wrong() -> None:
    early = _verdict(line=3, verdict="wrong", reason="a module is missing", ends_before="yes")
    found = [_verdict(), _verdict(line=2, verdict="wrong", reason="a wrapper clips"), early]
    told = page.text(Trial([_tree()], found))
    assert _lines(told, "Rounds") == ["| 1 | 1 | 3 | 1 | 2 | 0 | 33.3 % | 1 | 50.0 % | 1 of 3 |"]
    told = page.text(Trial([_tree()], [early]))
    assert _lines(told, "Rounds") == ["| 1 | 1 | 1 | 0 | 1 | 0 | 0.0 % | 1 | - | 0 of 1 |"]


def test_a_table_without_rows_says_so() -> None:
    told = page.text(Trial([_tree()], [_verdict()]))
    assert "## Where the readers disagree\n\nNone.\n" in told
    assert page.NONE in page.text(Trial())


# -- the data --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "perhaps"},
        {"second": ""},
        {"second": "perhaps"},
        {"second": "right", "second_reason": ""},
        {"severity": "info"},
        {"ends_before": "yes"},
        {"verdict": "wrong", "ends_before": "perhaps"},
        {"commit": "main"},
        {"reason": ""},
        {"reason": "first\nsecond"},
        {"second_reason": "x" * 601},
        {"line": "7"},
        {"who": "me"},
    ],
    ids=str,
)
def test_a_row_that_cannot_be_is_refused(tmp_path, changes) -> None:
    row = {**json.loads(data.text([_verdict()])), **changes}
    (tmp_path / "verdicts.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(DataError, match=r"verdicts\.jsonl:1: "):
        data.rows(Verdict, tmp_path / "verdicts.jsonl")


def test_a_verdict_on_a_tree_that_is_not_listed_is_refused(tmp_path) -> None:
    data.write(tmp_path / "trees.jsonl", [_tree()])
    data.write(tmp_path / "verdicts.jsonl", [_verdict(repository="some/other")])
    with pytest.raises(DataError, match="no some/other in round 1"):
        data.read(tmp_path)


def test_rows_are_read_as_they_are_written_and_sorted(tmp_path) -> None:
    found = [_verdict(round=2), _verdict(reason="a reason with “quotes”")]
    data.write(tmp_path / "verdicts.jsonl", found)
    assert data.rows(Verdict, tmp_path / "verdicts.jsonl") == sorted(found)
    assert "“quotes”" in (tmp_path / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()[0]


def test_it_runs_from_anywhere(tmp_path) -> None:
    command = [
        sys.executable,
        str(ROOT / "tools" / "field_trial.py"),
        "page",
        "--data",
        str(tmp_path / "new"),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "No round has been judged yet" in (tmp_path / "new.md").read_text()
