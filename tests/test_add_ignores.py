"""`check --add-ignores` on real files: what it writes, and what it says of the rest."""

from __future__ import annotations

import pytest
from trained import TREE, planted, refused, run

YAML = "zero_optimization:\n  stage: 2\n"


@pytest.fixture
def repo(tmp_path, monkeypatch):
    """One finding in JSON, one in a launch script."""
    folder = planted(tmp_path / "repo")
    monkeypatch.chdir(folder)
    (folder / "two.sh").write_text("deepspeed train.py --deepspeed a.json --fp16 True --bf16 True\n")
    (folder / "b.json").unlink()
    return folder


def test_comments_are_written_and_the_rest_is_told(repo):
    before = (repo / "two.sh").read_text()
    found = run("check", "--statistics").stdout
    done = run("check", "--add-ignores", "--reason", "known, see\nticket 7")
    after = (repo / "two.sh").read_text()
    assert after.endswith(before) and after.count("\n") == before.count("\n") + 1
    assert after.startswith("# mmcodemod: ignore[MM") and "] known, see ticket 7\n" in after
    assert done.stdout.startswith("added 1 comment in 1 file\n\n1 finding cannot be silenced by a comment:\n")
    assert "  a.json:1  MM303  JSON has no comments\n" in done.stdout
    assert '[tool.mmcodemod.per-file-ignores]\n"a.json" = ["MM303"]\n' in done.stdout
    assert done.return_value == 1 and (repo / "a.json").read_text() == TREE["a.json"]
    again = run("check", "--statistics").stdout
    assert len(again.splitlines()) < len(found.splitlines()) and "MM901" not in again
    assert run("check", "--add-ignores").stdout.startswith("1 finding cannot")


def test_what_it_proposes_is_right(repo):
    tomllib = pytest.importorskip("tomllib")
    said = run("check", "--add-ignores").stdout
    text = said[said.index("[tool.") :]
    assert tomllib.loads(text)["tool"]["mmcodemod"]
    (repo / "pyproject.toml").write_text(text)
    assert run("check").return_value == 0
    assert run("check", "--add-ignores").stdout == "nothing to silence\n"


def test_what_the_baseline_knows_gets_no_comment(repo):
    run("baseline")
    before = (repo / "two.sh").read_bytes()
    done = run("check", "--baseline", ".mmcodemod-baseline.json", "--add-ignores")
    assert (done.stdout, done.return_value) == ("nothing to silence\n", 0)
    assert (repo / "two.sh").read_bytes() == before


def test_several_rules_of_a_line_share_a_comment(repo):
    flags = "--deepspeed a.json --fp16 True --bf16 True --max_grad_norm 0"
    (repo / "two.sh").write_text(f"deepspeed --include localhost:0 train.py {flags}\n")
    codes = {line.split()[1] for line in run("check", "--statistics").stdout.splitlines()} - {"MM303"}
    run("check", "--add-ignores")
    (comment,) = (line for line in (repo / "two.sh").read_text().splitlines() if line.startswith("#"))
    named = comment.removeprefix("# mmcodemod: ignore[").removesuffix("]").split(", ")
    assert named == sorted(named) and set(named) <= codes
    assert run("check", "--select", "MM9").return_value == 0


def test_unused_comments_are_not_silenced(repo):
    (repo / "two.sh").write_text("# mmcodemod: ignore[MM201]\ntrue\n# mmcodemod: ignore\n")
    said = run("check", "--add-ignores").stdout
    assert "two.sh:1  MM901  a comment that silences nothing: `mmcodemod fix --select MM901" in said
    assert "two.sh:3  MM902  a comment that names no rule" in said


def test_only_what_fails_gets_a_comment(repo):
    before = (repo / "two.sh").read_bytes()
    done = run("check", "--add-ignores", "--fail-on", "error", "--select", "MM303")
    assert (done.return_value, done.stdout) == (0, "nothing to silence\n")
    assert (
        done.stderr == "left: nothing that fails a check, and 1 below --fail-on error, which fail nothing\n"
    )
    assert (repo / "two.sh").read_bytes() == before
    done = run("check", "--add-ignores", "--select", "MM303")
    assert done.return_value == 1 and done.stderr == "left: 1 finding that no comment can silence\n"


def test_a_preview_writes_nothing(repo):
    before = (repo / "two.sh").read_bytes()
    done = run("check", "--add-ignores", "--diff", "--reason", "known")
    assert done.return_value == 1 and (repo / "two.sh").read_bytes() == before
    assert done.stdout.startswith("--- a/two.sh\n+++ b/two.sh\n") and "] known\n" in done.stdout
    added = [line[1:] for line in done.stdout.splitlines() if line.startswith("+#")]
    run("check", "--add-ignores", "--reason", "known")
    assert (repo / "two.sh").read_text().splitlines()[:1] == added
    done = run("check", "--add-ignores", "--diff")
    assert (done.return_value, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "wrong",
    [
        ["--add-ignores", "--format", "json"],
        ["--add-ignores", "--output", "x"],
        ["--reason", "why"],
        ["--diff"],
    ],
)
def test_contradictions(repo, wrong):
    assert "--add-ignores" in refused("check", *wrong)
