"""`check --diff-base REF` in a real repository."""

from __future__ import annotations

import os
import subprocess

import pytest
from trained import DS, planted, refused, run


@pytest.fixture
def repo(tmp_path, monkeypatch):
    folder = planted(tmp_path / "repo")
    monkeypatch.chdir(folder)
    git("init", "-q")
    commit("first")
    return folder


def git(*arguments):
    names = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *arguments], check=True, capture_output=True, env={**os.environ, **names})


def commit(message):
    git("add", "-A")
    git("commit", "-q", "-m", message)


def test_what_was_there_is_left_out(repo):
    before = {p: p.read_bytes() for p in repo.rglob("*") if p.is_file()}
    done = run("check", "--diff-base", "HEAD")
    assert done.return_value == 0 and "no new findings, 2 also at HEAD" in done.stdout
    assert {p: p.read_bytes() for p in repo.rglob("*") if p.is_file()} == before


def test_what_is_new_is_reported_on_the_disk_and_in_commits(repo):
    (repo / "c.json").write_text(DS)
    (repo / "three.sh").write_text("deepspeed train.py --deepspeed c.json\n")
    on_disk = run("check", "--diff-base", "HEAD")
    assert on_disk.return_value == 1 and "c.json:1" in on_disk.stdout and "a.json:1" not in on_disk.stdout
    commit("second")
    committed = run("check", "--diff-base", "HEAD~1")
    assert committed.return_value == 1 and "c.json:1" in committed.stdout
    assert run("check", "--diff-base", "HEAD").return_value == 0


def test_old_code_that_becomes_fatal_is_new(repo):
    (repo / "a.json").write_text(DS.replace("}}", '}, "gradient_clipping": 1.0}'))
    commit("clipped")
    (repo / "a.json").write_text(DS)
    assert "a.json:1" in run("check", "--diff-base", "HEAD").stdout


def test_a_renamed_file_is_not_new(repo):
    git("mv", "a.json", "z.json")
    (repo / "one.sh").write_text("deepspeed train.py --deepspeed z.json\n")
    assert run("check", "--diff-base", "HEAD").return_value == 0


def test_a_folder_of_the_repository_and_a_baseline_besides(repo):
    planted(repo / "sub")
    commit("sub")
    assert "2 also at HEAD" in run("check", "sub", "--diff-base", "HEAD").stdout
    run("baseline")
    both = run("check", "--diff-base", "HEAD~1", "--baseline", ".mmcodemod-baseline.json")
    assert both.return_value == 0 and "no new findings, 4 in the baseline" in both.stdout
    (repo / ".mmcodemod-baseline.json").write_text('{"version": 1, "findings": []}')
    both = run("check", "--diff-base", "HEAD", "--baseline", ".mmcodemod-baseline.json")
    assert both.return_value == 0 and "no new findings, 4 also at HEAD" in both.stdout


@pytest.mark.parametrize("ref", ["nowhere", "--upload-pack=x", "HEAD:train.py"])
def test_a_revision_that_is_none(repo, ref):
    errors = refused("check", f"--diff-base={ref}")
    assert errors.startswith("Error: --diff-base: ") and errors.count("\n") == 1


def test_without_a_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(planted(tmp_path / "bare"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert "Error: --diff-base: " in refused("check", "--diff-base", "HEAD")
