"""Progress is for a person who waits: on a terminal, after a second, and never in a pipe."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from trained import planted, run

import mmcodemod

SOURCE = Path(mmcodemod.__file__).parents[1]
SCRIPT = (
    "import sys\nfrom mmcodemod.cli import console, main\n"
    "console.PATIENCE = float(sys.argv.pop(1))\nmain.main(sys.argv[1:])\n"
)


def on_terminal(folder, *arguments, patience=-1.0, env=None):
    """What a terminal on stderr shows; stdout is a pipe."""
    reader, writer = pty.openpty()
    command = [sys.executable, "-c", SCRIPT, str(patience), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "MMCODEMOD_NO_CACHE": "1", **(env or {})}
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=writer, stdout=subprocess.PIPE)
    os.close(writer)
    shown = b""
    try:
        while chunk := os.read(reader, 4096):
            shown += chunk
    except OSError:  # how Linux says that the other side is closed
        pass
    os.close(reader)
    assert process.communicate()[0] is not None and process.returncode in (0, 1)
    return shown.decode()


@pytest.fixture
def repo(tmp_path):
    return planted(tmp_path / "repo")


def test_stages_are_shown_and_wiped(repo):
    shown = on_terminal(repo, "check")
    last = re.search(r"judging (\d+)/\1 rules", shown)
    at = [shown.find(part) for part in ("reading launch scripts", "judging 1/", "building the call graph")]
    assert last and -1 not in at and at[0] < at[1] < last.start()
    assert shown.endswith("\r\x1b[K")


def test_verification_of_fixes_is_shown(repo):
    shown = on_terminal(repo, "fix")
    assert "verifying, check 2: judging" in shown


@pytest.mark.parametrize("arguments", [("check", "-q"), ("check", "--quiet", "--strict")])
def test_not_when_it_is_to_be_quiet(repo, arguments):
    assert on_terminal(repo, *arguments) == ""


def test_not_on_a_terminal_that_can_do_nothing(repo):
    assert on_terminal(repo, "check", env={"TERM": "dumb"}) == ""


def test_not_before_a_second_is_over(repo):
    assert on_terminal(repo, "check", patience=100) == ""


def test_never_in_a_pipe(repo):
    command = [sys.executable, "-c", SCRIPT, "-1", "check"]
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "MMCODEMOD_NO_CACHE": "1"}
    done = subprocess.run(command, cwd=repo, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


def test_quiet_prints_findings_alone(repo, monkeypatch):
    monkeypatch.chdir(repo)
    loud, quiet = run("check"), run("check", "-q")
    assert loud.stdout.startswith(quiet.stdout) and quiet.stdout.count("MM303 ds-") == 2
    assert " in 0." in loud.stdout and "·" not in quiet.stdout
    (repo / "broken.py").write_text("def f(:\n")
    assert "broken.py" in run("check").stderr
    assert run("check", "-q").stderr.startswith("broken.py:1: syntax: ")
    assert run("check", "-q", "--select", "MM9").stdout == ""
