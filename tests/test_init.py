"""`mmcodemod init`: what it proposes, that it asks, and that existing files only grow."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
import yaml
from trained import DS, planted, refused, run

from mmcodemod.cli import dialog, origin
from mmcodemod.engine import starter

WORKFLOW = ".github/workflows/mmcodemod.yml"
HOOKS = ".pre-commit-config.yaml"
COMMIT = "c0" * 20
SPEC = f"mmcodemod @ git+https://example.org/a/b@{COMMIT}"
BASELINE = ".mmcodemod-baseline.json"


@pytest.fixture
def repo(tmp_path, monkeypatch):
    pytest.importorskip("tomllib")
    folder = planted(tmp_path / "repo")
    monkeypatch.setattr(origin, "_repository", lambda: "")  # as installed from a folder of this machine
    monkeypatch.chdir(folder)
    return folder


def files(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_everything_with_yes_and_the_next_check_is_clean(repo):
    before = files(repo)
    done = run("init", "--yes", "--install", SPEC)
    new = files(repo).keys() - before.keys()
    assert (done.return_value, new) == (0, {BASELINE, "mmcodemod.toml", WORKFLOW, HOOKS})
    assert before.items() <= files(repo).items()
    checked = run("check", "-v")
    assert checked.return_value == 0 and "2 in the baseline" in checked.stdout
    again = run("init", "--yes")
    assert again.stderr.count("already") == 3 and files(repo).keys() - before.keys() == new


@pytest.mark.parametrize("how", [("--dry-run",), ()])
def test_nothing_is_written_unasked(repo, how):
    before = files(repo)
    if how:
        assert run("init", *how).return_value == 0
    else:
        assert "nothing is written, because nobody can be asked" in refused("init")
    assert files(repo) == before
    shown = run("init", "--dry-run", "--install", SPEC).stdout
    assert "fail-on" in shown and "mmcodemod check --strict --format github" in shown and COMMIT in shown


@pytest.fixture
def person(monkeypatch):
    monkeypatch.setattr(dialog, "can_ask", lambda: True)


def test_each_is_asked_about_and_enter_is_yes(repo, person):
    before = files(repo)
    done = run("init", "--install", SPEC, answers="n\ny\nNo\n\n")
    assert files(repo).keys() - before.keys() == {"mmcodemod.toml", HOOKS}
    assert "# baseline = " in (repo / "mmcodemod.toml").read_text()
    assert f"left out {WORKFLOW}" in done.stderr and f"Write {HOOKS}? [Y/n/?]" in done.stderr


def test_few_findings_are_not_hidden_by_enter(repo, person):
    """Who presses Enter at each question sees them with the next command."""
    done = run("init", answers="\n\n\n\n")
    assert not (repo / BASELINE).exists() and (repo / "mmcodemod.toml").exists() and (repo / HOOKS).exists()
    assert f"Write {BASELINE}, which hides 2 warnings from checks? [y/N/?]" in done.stderr
    assert "mmcodemod check" in done.stderr.splitlines()[-1] and "2 warnings" in done.stderr.splitlines()[-1]
    assert run("check").return_value == 1


def test_many_findings_are_hidden_by_enter_and_can_be_seen(repo, person):
    for number in range(starter.FEW - 2):
        (repo / f"x{number}.json").write_text(DS)
        command = f"deepspeed train.py --deepspeed x{number}.json --seed {number}\n"
        (repo / f"x{number}.sh").write_text(command)
    done = run("init", answers="\n\n\n\n")
    assert "hides 20 warnings from checks? [Y/n/?]" in done.stderr and (repo / BASELINE).exists()
    assert "mmcodemod baseline --show" in done.stderr.splitlines()[-1]
    assert "x3.json:1" in run("baseline", "--show").stdout


def test_its_last_lines_are_what_is_left_to_do(repo):
    subprocess.run(["git", "init", "-q"], check=True)
    (repo / ".gitignore").write_text("*.json\n")
    said = run("init", "--yes", "--install", SPEC).stderr
    before, _, after = said.partition("\nnext:\n")
    commands = [line.partition("#")[0].strip() for line in after.splitlines()]
    assert commands == [
        f"git add mmcodemod.toml {WORKFLOW} {HOOKS}",
        f"git add --force {BASELINE}",
        "git commit",
        "pre-commit install",
        "mmcodemod baseline --show",
    ]
    assert "git ignores" in after and "git ignores" not in before
    for command in commands[:2]:
        subprocess.run(command.split(), check=True)


def test_nothing_is_left_to_do_where_nothing_was_written(repo):
    subprocess.run(["git", "init", "-q"], check=True)
    run("init", "--yes")
    after = run("init", "--yes").stderr.partition("next:\n")[2]
    assert [line.partition("#")[0].strip() for line in after.splitlines()] == ["mmcodemod check"]


def test_another_folder_is_entered_first(repo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "next:\n  cd repo\n" in run("init", "repo", "--yes").stderr


def test_who_left_the_job_out_is_not_asked_again(repo, person):
    run("init", answers="n\n\n\n\n")
    again = run("init")
    assert "What should CI install?" not in again.stderr and "--install" in again.stderr


def test_what_is_not_understood_is_explained_and_asked_again(repo, person):
    before = files(repo)
    done = run("init", "--install", SPEC, answers="?\nwhat\ny\n")  # then the input ends: nothing more
    assert files(repo).keys() - before.keys() == {BASELINE}
    assert done.stderr.count(f"Write {BASELINE}, which") == 3
    assert done.stderr.count("fail only for what is new") == 2
    assert done.output.count("left out by checks from now on") == 1  # said before the question, not again
    assert done.stderr.count(f"to undo it, delete {BASELINE}") == 2


def test_what_undoes_a_file_that_grows_is_said(repo, person):
    (repo / "pyproject.toml").write_text('[project]\nname = "x"\n')
    done = run("init", "--install", SPEC, answers="n\n?\n")
    assert "to undo it, take these lines out of pyproject.toml" in done.stderr


def test_the_baseline_is_shown_by_rule(repo):
    shown = run("init", "--dry-run").stdout
    assert "    2  MM303  ds-gradient-clipping-absent\n" in shown
    assert "fingerprint" not in shown


def test_without_a_source_there_is_no_job(repo):
    """No index has this name for us: who takes it there would run in CI."""
    done = run("init", "--yes")
    assert not (repo / WORKFLOW).exists() and done.return_value == 0
    assert f"a CI job: {WORKFLOW} is left out, because" in done.stderr and "--install" in done.stderr
    assert yaml.safe_load((repo / HOOKS).read_text())["repos"][0]["hooks"][0]["language"] == "system"
    assert "each teammate needs it installed" in done.stdout
    assert "mmcodemod==" not in "".join(map(bytes.decode, files(repo).values()))


@pytest.mark.parametrize(("said", "written"), [(f"nonsense; x\n{SPEC}\n\n", True), ("\n", False)])
def test_a_person_says_what_ci_installs(repo, person, said, written):
    done = run("init", answers=f"n\nn\n{said}")
    assert done.stderr.count("What should CI install?") == (2 if written else 1)
    assert (repo / WORKFLOW).exists() == written
    assert not written or SPEC in (repo / WORKFLOW).read_text()


def test_nobody_is_asked_for_a_job_that_is_there(repo, person):
    (repo / WORKFLOW).parent.mkdir(parents=True)
    (repo / WORKFLOW).touch()
    assert "What should CI install?" not in run("init").stderr


def test_damaged_files_are_told_at_once(repo):
    (repo / "old.py").write_text("print 1\n")
    (repo / "far.py").symlink_to("/nowhere.py")
    said = run("init", "--dry-run").stderr
    assert "will fail for these" in said and "old.py:1: syntax" in said and "far.py" not in said


def test_a_pyproject_grows_at_its_end(repo):
    text = '# ours\r\n[project]\r\nname = "x"  # kept\r\n\r\n[tool.ruff]\r\nline-length = 99'
    (repo / "pyproject.toml").write_bytes(text.encode())
    run("init", "--yes")
    after = (repo / "pyproject.toml").read_bytes().decode()
    assert after.startswith(text + "\r\n\r\n[tool.mmcodemod]\r\n") and "\n" not in after.replace("\r\n", "")
    assert not (repo / "mmcodemod.toml").exists() and run("check").return_value == 0


def test_a_pyproject_that_cannot_grow_is_left(repo):
    (repo / "pyproject.toml").write_text("tool = {ruff = {}}\n")
    run("init", "--yes")
    assert (repo / "pyproject.toml").read_text() == "tool = {ruff = {}}\n"
    assert (repo / "mmcodemod.toml").exists()


@pytest.mark.parametrize("indent", ["", "  ", "    "])
def test_hooks_are_added_in_the_style_of_the_file(repo, indent):
    lines = ["- repo: https://x/y  # pinned", "  rev: v1", "  hooks: [{id: a}]"]
    text = "# hooks\nrepos:\n" + "".join(f"{indent}{line}\n" for line in lines)
    (repo / HOOKS).write_text(text)
    run("init", "--yes")
    after = (repo / HOOKS).read_text()
    assert after.startswith(text)
    first, second = yaml.safe_load(after)["repos"]
    assert first["rev"] == "v1" and second["hooks"][0]["entry"] == "mmcodemod check --strict"


@pytest.mark.parametrize(
    "text", ["repos: []\n", "repos:\n- repo: a\n  hooks: []\nci: {skip: [a]}\n", "a: [\n", ""]
)
def test_hooks_that_cannot_be_added_are_shown(repo, text):
    (repo / HOOKS).write_text(text)
    done = run("init", "--yes")
    assert (repo / HOOKS).read_text() == text
    assert f"{HOOKS} cannot be added to safely" in done.stderr and "repo: local" in done.stdout


def test_what_it_writes_is_strict(repo):
    """A syntax error in the entry makes every other finding vanish: CI must not be green then."""
    run("init", "--yes", "--install", "mmcodemod==9.9")
    (repo / "other.py").touch()
    (repo / "train.py").write_text("def (:\n")
    (script,) = (
        s["run"] for s in yaml.safe_load((repo / WORKFLOW).read_text())["jobs"]["check"]["steps"][3:]
    )
    hook = yaml.safe_load((repo / HOOKS).read_text())["repos"][0]["hooks"][0]["entry"]
    assert run(*script.split()[1:]).return_value == 1 and run(*hook.split()[1:]).return_value == 1
    assert "--strict" in starter.gitlab_job("x")


def test_gitlab_where_gitlab_is(repo):
    text = "stages: [build, check]\n\nbuild:\n  stage: build\n  script: [make]  # ours\n"
    (repo / ".gitlab-ci.yml").write_text(text)
    run("init", "--yes", "--install", SPEC)
    after = (repo / ".gitlab-ci.yml").read_text()
    job = yaml.safe_load(after)["mmcodemod"]
    assert after.startswith(text) and job["stage"] == "check"
    assert job["script"][0] == f"python -m pip install '{SPEC}'"
    assert job["image"] == "python:3.12"  # the slim one has no git
    assert not (repo / ".github").exists()
    (repo / ".gitlab-ci.yml").write_text("a: !reference [b]\n")
    assert "cannot be added to safely" in run("init", "--yes", "--install", SPEC).stderr


def test_the_workflow_is_one(repo):
    run("init", "--yes", "--install", "mmcodemod==9.9")
    read = yaml.safe_load((repo / WORKFLOW).read_text())
    steps = read["jobs"]["check"]["steps"]
    assert read["permissions"] == {"contents": "read"}
    assert [s["run"] for s in steps if "run" in s] == [
        "python -m pip install 'mmcodemod==9.9'",
        "mmcodemod check --strict --format github",
    ]
    hook = yaml.safe_load((repo / HOOKS).read_text())["repos"][0]["hooks"][0]
    assert (hook["language"], hook["additional_dependencies"]) == ("python", ["mmcodemod==9.9"])
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", s["uses"]) for s in steps if "uses" in s)


@pytest.mark.parametrize("spec", ["x'; rm -rf /", "a: b", "x #", " "])
def test_what_pip_cannot_install(repo, spec):
    assert "--install wants" in refused("init", "--yes", "--install", spec)


def test_folders_of_others():
    paths = ("third_party/a.py", "x/vendor/b.py", "deps/lib/c.py", "own/d.py")
    modules = '[submodule "l"]\n\tpath = deps/lib\n\turl = x\n[submodule "m"]\n\tpath = gone\n'
    assert starter.vendored(paths, modules) == ["deps/lib", "third_party", "vendor"]


def test_exclude_is_what_the_comment_says(repo):
    """Relative to the checked folder, not to the file."""
    assert "patterns relative to the checked folder" in starter.configuration((), {}, {}, "")
    (repo / "mmcodemod.toml").write_text('exclude = ["own/old"]\n')
    for folder in ("own/old", "own/own/old"):
        (repo / folder).mkdir(parents=True)
        (repo / folder / "x.py").write_text("def (:\n")
    assert run("check").stderr.startswith("own/own/old/x.py:1: syntax")
    assert run("check", "own").stderr.startswith("old/x.py:1: syntax")


def test_the_configuration_holds_what_was_found():
    tomllib = pytest.importorskip("tomllib")
    text = starter.configuration(['a "b"'], {"deepspeed": ">=0.14"}, {"deepspeed": "0.16.9"}, BASELINE)
    assert tomllib.loads(text) == {"fail-on": "warning", "exclude": ['a "b"'], "baseline": BASELINE}
    assert '# assume = ["deepspeed==0.16.9"]' in text and "no file pins these: deepspeed>=0.14" in text
    every = "\n".join(
        line.removeprefix("# ") for line in text.splitlines() if "=" in line and "pins" not in line
    )
    assert {"assume", "gpu-memory", "ignore", "per-file-ignores"} <= tomllib.loads(every).keys()


def test_where_it_came_from(monkeypatch):
    from importlib import metadata

    class Installed:
        def __init__(self, noted):
            self.noted = noted

        def read_text(self, name):
            return self.noted

    def said(noted, install=None):
        text = None if noted is None else json.dumps(noted)
        monkeypatch.setattr(metadata, "distribution", lambda name: Installed(text))
        return origin.given(install)

    def cloned(url):
        return {"url": url, "vcs_info": {"vcs": "git", "commit_id": COMMIT}}

    assert said(cloned("https://example.org/a/b")) == SPEC
    assert said(cloned("https://example.org/a/b"), "mmcodemod==9") == "mmcodemod==9"
    local = {"url": "file:///x", "dir_info": {"editable": True}}
    for none in (None, local, cloned("file:///x"), cloned("https://h/a b"), cloned("https://h/a';x")):
        assert said(none) == ""


def test_the_hook_of_a_repository():
    assert yaml.safe_load(starter.hook(SPEC, "")) == [
        {"repo": "https://example.org/a/b", "rev": COMMIT, "hooks": [{"id": "mmcodemod"}]}
    ]
    assert yaml.safe_load(starter.hook("mmcodemod @ git+ssh://git@h/a", ""))[0]["repo"] == "local"
