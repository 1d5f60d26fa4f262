"""The options of `review` that speak to a forge: what is printed, what is refused, what is written."""

from __future__ import annotations

import json
import os
import sys

import click
import pytest
from click.testing import CliRunner
from mock_forge import TOKEN, Fault, Forge, State
from repositories import Repository
from review_samples import BASE, BROKEN, HEAD, NAMES, SOUND, subject

from mmcodemod.cli.posting import posting_of, posting_options

URL = "https://github.com/o/r/pull/7"
PREFIXES = ("GITHUB_", "GH_", "GITEA_", "FORGEJO_", "GITLAB_", "CI_")


@click.command()
@click.option("--offline", is_flag=True)
@click.option("--silent", is_flag=True)
@posting_options
def command(offline, silent, **values):
    """A stand-in for `review`."""
    posting = posting_of(values)
    assert not values
    about = subject(SOUND, SOUND if silent else BROKEN)
    if posting is not None:
        asked = posting.asked("main" if offline else None)
        assert asked.revisions("main", None) == ("main", asked.change.head if asked.change else "HEAD")
        asked.post(about.review, about.tree, NAMES)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    for name in list(os.environ):
        if name.startswith(PREFIXES) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture
def github(monkeypatch):
    with Forge("github", State(BASE, HEAD)) as server:
        monkeypatch.setenv("GITHUB_API_URL", server.web)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        yield server.state


def run(*arguments):
    return CliRunner().invoke(command, arguments)


PR = ("--pr", "7", "--forge", "github", "--repo", "o/r")


def test_a_dry_run_prints_the_requests_and_writes_nothing(github):
    done = run(*PR, "--dry-run")
    assert done.exit_code == 0
    rows = json.loads(done.stdout)
    assert [(row["method"], row["url"].partition("/repos")[2]) for row in rows] == [
        ("POST", "/o/r/pulls/7/reviews"),
        ("POST", "/o/r/issues/7/comments"),
    ]
    assert rows[0]["body"]["commit_id"] == HEAD and not github.writes
    assert TOKEN not in done.output and done.stdout == run(*PR, "--dry-run").stdout


def test_a_dry_run_knows_what_is_there(github):
    assert run(*PR).exit_code == 0
    assert json.loads(run(*PR, "--dry-run").stdout) == []


def test_a_dry_run_without_the_forge_asks_nobody():
    done = run("--pr", URL, "--dry-run", "--offline")
    assert done.exit_code == 0 and json.loads(done.stdout)[0]["url"].startswith(
        "https://api.github.com/repos/o/r/"
    )


def test_what_was_written_is_said(github):
    done = run(*PR)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "comments on lines: 1 new, 0 changed, 0 resolved; summary written" in done.stderr
    assert "summary as it was" in run(*PR).stderr and len(github.writes) == 2


def test_fewer_comments(github):
    assert run(*PR, "--max-comments", "0").exit_code == 0
    assert [path for _, path in github.writes] == ["/repos/o/r/issues/7/comments"]


def test_nothing_to_say(github):
    assert run(*PR, "--silent").exit_code == 0 and not github.writes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--dry-run",), "need --pr"),
        (("--forge", "github"), "need --pr"),
        (("--pr", "seven"), "takes a number or the address"),
        (("--pr", "https://evil.example/o/r/pull/7"), "its token is not sent there"),
        (("--pr", URL), "set GITHUB_TOKEN"),
        (("--pr", "7", "--forge", "gitea", "--repo", "o/r"), "GITEA_SERVER_URL"),
    ],
)
def test_one_sentence_and_exit_code_2(arguments, words):
    done = run(*arguments)
    assert done.exit_code == 2 and words in done.stderr and "Traceback" not in done.output


def test_an_error_of_the_forge_is_one_sentence(github):
    github.faults.append(Fault(403, ("POST", ""), 9))
    done = run(*PR)
    assert done.exit_code == 2 and "pull-requests: write" in done.stderr and TOKEN not in done.output


def test_a_pull_request_that_moved_on_is_left_alone(github):
    github.head = "9" * 40
    done = run(*PR)
    assert done.exit_code == 2 and "nothing was posted" in done.stderr and not github.writes


def test_the_help_reads_well():
    text = run("--help").stdout
    for option in ("--pr URL|NUMBER", "--forge [github|gitlab|gitea]", "--repo OWNER/NAME", "--dry-run"):
        assert option in text


def test_a_dry_run_that_cannot_ask_says_how_to_ask_nobody(monkeypatch):
    monkeypatch.setitem(sys.modules, "requests", None)
    done = run("--pr", URL, "--dry-run")
    assert done.exit_code == 2 and "mmcodemod[review]" in done.stderr
    assert "with --base and --head a dry run asks nobody" in done.stderr
    assert run("--pr", URL, "--dry-run", "--offline").exit_code == 0
    assert "asks nobody" not in run("--pr", URL).stderr


def test_a_bare_number_is_of_the_origin_of_the_repository(tmp_path, monkeypatch):
    made = Repository.made(tmp_path / "clone")
    monkeypatch.chdir(made.root)
    assert "--forge" in run("--pr", "7", "--dry-run", "--offline").stderr
    made.git("remote", "add", "origin", "git@github.com:o/r.git")
    rows = json.loads(run("--pr", "7", "--dry-run", "--offline").stdout)
    assert rows[0]["url"] == "https://api.github.com/repos/o/r/pulls/7/reviews"
    made.git("remote", "set-url", "origin", "https://evil.example/o/r.git")
    done = run("--pr", "7", "--dry-run", "--offline")
    assert done.exit_code == 2 and "not sent there" in done.stderr
