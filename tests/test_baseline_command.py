"""`mmcodemod baseline` and `check --baseline` on real files."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from trained import DS, planted, refused, run

NAME = ".mmcodemod-baseline.json"
UNSAFE = """\
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
model, loader = build()
for batch in loader:
    model(batch).backward()
if dist.get_rank() == 0:
    torch.save(model.state_dict(), "x")
    dist.barrier()
"""


@pytest.fixture
def repo(tmp_path, monkeypatch):
    folder = planted(tmp_path / "repo")
    monkeypatch.chdir(folder)
    return folder


def paths(repo, name=NAME):
    return [entry["path"] for entry in json.loads((repo / name).read_text())["findings"]]


def test_create_then_check(repo):
    assert run("check").return_value == 1
    made = run("baseline")
    assert (made.return_value, made.stdout, paths(repo)) == (0, "", ["a.json", "b.json"])
    assert made.stderr.startswith(
        f"wrote {NAME}: 2 known findings\nuse it: mmcodemod check --baseline {NAME}\n"
    )
    checked = run("check", "--baseline", NAME)
    assert checked.return_value == 0 and "no new findings, 2 in the baseline" in checked.stdout
    assert "look right" not in checked.stdout


def test_the_last_line_says_how_to_see_what_is_known(repo):
    run("baseline")
    run("baseline", "--baseline", "other.json")
    (repo / "mmcodemod.toml").write_text(f'baseline = "{NAME}"\n')
    last = [run("check", *more).stdout for more in ((), ("--baseline", NAME), ("--baseline", "other.json"))]
    other = "2 in the baseline (mmcodemod baseline --show --baseline other.json)"
    shown = "2 in the baseline (mmcodemod baseline --show)"
    assert [shown in last[0], shown in last[1], other in last[2]] == [True] * 3
    assert run("baseline", "--show", "--baseline", "other.json").stdout.count("MM303") == 4
    assert "baseline --show" not in run("check", "--format", "markdown").stdout


def test_nothing_to_check_is_no_baseline(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("baseline")
    assert done.return_value == 0 and done.stderr.startswith("nothing to check: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("project", [True, False])
def test_it_says_where_the_configuration_is(repo, project):
    if project:
        (repo / "pyproject.toml").touch()
    said = run("baseline").stderr
    assert ("the pyproject.toml beside it" in said, "a mmcodemod.toml beside it" in said) == (
        project, not project,
    )  # fmt: skip


def test_what_is_new_is_reported(repo):
    run("baseline")
    (repo / "c.json").write_text(DS)
    (repo / "three.sh").write_text("deepspeed train.py --deepspeed c.json\n")
    checked = run("check", "--baseline", NAME)
    assert checked.return_value == 1 and "c.json:1:35" in checked.stdout and "a.json:1" not in checked.stdout
    assert "1 warning, 2 in the baseline" in checked.stdout
    as_json = json.loads(run("check", "--baseline", NAME, "--format", "json").stdout)
    assert [f["path"] for f in as_json["findings"]] == ["c.json"] and as_json["baseline"] == {"known": 2}


def test_the_configuration_names_it_relative_to_itself(repo):
    pytest.importorskip("tomllib")
    (repo / "mmcodemod.toml").write_text('baseline = "ci/known.json"\n')
    assert "`mmcodemod baseline` creates it" in refused("check")
    (repo / "ci").mkdir()
    made = run("baseline")
    assert made.stderr == "wrote ci/known.json: 2 known findings\n"
    assert run("check").return_value == 0
    os.chdir(repo / "ci")
    assert run("check", "..").return_value == 0


def only_a_part(checked):
    """Does standard error say that a part was read, and nothing else?"""
    (line,) = checked.stderr.splitlines()
    return line.startswith("only a part of this folder was read")


def test_a_folder_of_the_tree_alone(repo, monkeypatch):
    """The baseline of the repository holds for a folder of it, whose check calls nothing else stale."""
    planted(repo / "sub")
    run("baseline")
    checked = run("check", "sub", "--baseline", NAME)
    assert checked.return_value == 0 and "2 in the baseline" in checked.stdout and not checked.stderr
    assert only_a_part(run("check", "sub/a.json", "--baseline", NAME))


def test_nothing_is_overwritten_unasked(repo):
    (repo / NAME).write_text("mine")
    assert "is there already: --show, --update, --prune, --show-stale or --force" in refused("baseline")
    assert (repo / NAME).read_text() == "mine"
    assert "not JSON" in refused("baseline", "--update")
    run("baseline", "--force")
    assert paths(repo) == ["a.json", "b.json"]


def test_stale_entries_are_told_shown_and_pruned(repo):
    run("baseline")
    (repo / "a.json").write_text('{"zero_optimization": {"stage": 2}, "gradient_clipping": 1.0}\n')
    assert run("check", "--baseline", NAME).stderr.startswith(f"1 entry matches nothing any more in {NAME}")
    assert run("check", "--baseline", NAME, "-q").stderr == ""
    before = (repo / NAME).read_bytes()
    shown = run("baseline", "--show-stale")
    assert (shown.return_value, shown.stderr) == (1, f"{NAME}: 1 of 2 stale\n")
    assert shown.stdout.startswith("a.json  MM303  These runs train without gradient clipping")
    assert (repo / NAME).read_bytes() == before
    assert run("baseline", "--prune").stderr == f"{NAME}: 1 removed, 1 kept\n"
    assert paths(repo) == ["b.json"] and run("baseline", "--show-stale").return_value == 0


def test_prune_adds_nothing_and_update_does(repo):
    run("baseline")
    (repo / "c.json").write_text(DS)
    (repo / "three.sh").write_text("deepspeed train.py --deepspeed c.json\n")
    os.unlink(repo / "two.sh")
    os.unlink(repo / "b.json")
    (repo / "c.json").write_text(DS.replace("2", "1"))
    assert run("baseline", "--update").stderr == f"{NAME}: 0 added, 0 removed, 2 kept\n"  # b became c
    assert paths(repo) == ["a.json", "c.json"]
    (repo / "d.json").write_text(DS)
    (repo / "four.sh").write_text("deepspeed train.py --deepspeed d.json\n")
    assert run("baseline", "--prune").stderr == f"{NAME}: 0 removed, 2 kept\n"
    assert run("baseline", "--update").stderr == f"{NAME}: 1 added, 0 removed, 2 kept\n"
    assert paths(repo) == ["a.json", "c.json", "d.json"]


def test_update_of_some_rules_keeps_the_entries_of_others(repo):
    run("baseline")
    assert run("baseline", "--update", "--select", "MM2").stderr == f"{NAME}: 0 added, 0 removed, 2 kept\n"
    assert paths(repo) == ["a.json", "b.json"]


def test_a_second_update_writes_the_same_bytes(repo):
    run("baseline")
    before = (repo / NAME).read_bytes()
    run("baseline", "--update")
    run("baseline", "--prune")
    assert (repo / NAME).read_bytes() == before


@pytest.mark.parametrize("data", [b"\x00" * 9, b'{"version": 1, "findings": 3}', b"[" * 99_999])
def test_a_hostile_baseline_is_an_error_of_one_line(repo, data):
    (repo / NAME).write_bytes(data)
    errors = refused("check", "--baseline", NAME)
    assert errors.startswith("Error: ") and errors.count("\n") == 1


def test_a_baseline_that_is_a_link_or_no_file(repo):
    os.symlink("/etc/passwd", repo / "link.json")
    assert "a link is not followed" in refused("check", "--baseline", "link.json")
    os.mkfifo(repo / "pipe.json")
    assert "not a regular file" in refused("check", "--baseline", "pipe.json")
    assert run("check", "--baseline", "none.json").exception is not None


def test_a_check_of_a_part_calls_nothing_stale(repo):
    """Without the launch scripts a configuration is a note at most, or nothing: that mends no finding."""
    planted(repo / "sub")
    (repo / "top.sh").write_text("deepspeed sub/train.py --deepspeed sub/c.json\n")
    (repo / "sub" / "c.json").write_text(DS.replace("2", "1"))
    run("baseline")
    assert run("check", "--baseline", NAME).stderr == ""
    assert only_a_part(run("check", "sub", "--baseline", NAME))
    assert only_a_part(run("check", "sub/c.json", "train.py", "--baseline", NAME))
    assert run("baseline", "sub", "--baseline", NAME, "--show-stale").return_value == 0


@pytest.mark.parametrize(("ignored", "told"), [("*.json", True), ("*.txt", False)])
def test_a_file_that_git_ignores_is_told(repo, ignored, told):
    subprocess.run(["git", "init", "-q"], check=True)
    (repo / ".gitignore").write_text(f"{ignored}\n")
    said = run("baseline").stderr
    assert (f"git ignores {NAME}, and CI needs it: git add --force {NAME}\n" in said) is told


def test_what_it_holds_is_shown_as_a_check_would(repo):
    """Else nobody sees a finding after `init`: a check says no more than how many there are."""
    without = run("check").stdout
    run("baseline")
    (repo / "c.json").write_text(DS)
    (repo / "three.sh").write_text("deepspeed train.py --deepspeed c.json\n")
    before = (repo / NAME).read_bytes()
    shown = run("baseline", "--show")
    assert (shown.return_value, (repo / NAME).read_bytes()) == (0, before)
    for file in ("a.json", "b.json"):
        line = next(line for line in without.splitlines() if line.startswith(f"{file}:1"))
        assert line in shown.stdout.splitlines()
    assert "c.json:1" not in shown.stdout and "2 warnings" in shown.stdout
    assert "No such file" in refused("baseline", "--show", "--baseline", "other.json")


@pytest.mark.parametrize(("ignored", "cause"), [
    ("*.json", "git does not track it, because it ignores it: where it is, `git add --force` and commit it"),
    ("", "git does not track it here: where it is, commit it"),
])  # fmt: skip
def test_a_missing_file_that_git_does_not_track_is_told_so(repo, ignored, cause):
    """A branch or a clone has the configuration that was committed, and not the file that was not."""
    subprocess.run(["git", "init", "-q"], check=True)
    (repo / ".gitignore").write_text(f"{ignored}\n")
    said = refused("check", "--baseline", NAME)
    assert cause in said and "`mmcodemod baseline` creates it" in said


def test_a_missing_file_that_git_tracks_can_be_restored(repo):
    subprocess.run(["git", "init", "-q"], check=True)
    run("baseline")
    subprocess.run(["git", "add", "--force", NAME], check=True)
    os.unlink(repo / NAME)
    said = refused("check", "--baseline", NAME)
    assert f"`git restore {NAME}` brings it back" in said and "not track" not in said


@pytest.mark.parametrize("apply", [["--apply"], []])
def test_what_is_known_does_not_fail_a_fix_which_mends_it_all_the_same(repo, apply):
    pytest.importorskip("tomllib")
    (repo / "other.py").write_text(UNSAFE)
    (repo / "other.sh").write_text("torchrun --nproc_per_node 2 other.py\n")
    assert run("fix").return_value == 1
    (repo / "mmcodemod.toml").write_text(f'baseline = "{NAME}"\n')
    run("baseline")
    assert len(paths(repo)) == 3
    done = run("fix", *apply)
    assert done.return_value == 0 and "fix" in done.stderr
    known = 1 if apply else 3
    assert f"{known} in the baseline do not count for the exit code" in done.stderr
    assert ("gradient_clipping" in (repo / "a.json").read_text()) is bool(apply)


def test_what_is_new_fails_a_fix(repo):
    pytest.importorskip("tomllib")
    (repo / "mmcodemod.toml").write_text(f'baseline = "{NAME}"\n')
    run("baseline")
    (repo / "c.json").write_text(DS)
    (repo / "three.sh").write_text("deepspeed train.py --deepspeed c.json\n")
    assert run("fix").return_value == 1
