"""A pull request from two revisions of a repository to its comments: git, the command, and a forge on
loopback that shows exactly the lines which git's diff shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from mock_forge import TOKEN, Fault, Forge, State
from review_samples import BARE, CLIPPED, PINS, RUN, SOUND, TRAIN

from mmcodemod.cli.main import commands

PREFIXES = ("GITHUB_", "GH_", "GITEA_", "FORGEJO_", "GITLAB_", "CI_")
HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


class Repository:
    """A repository in a folder, with the versions that are written into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(self.folder), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, files: dict[str, str | bytes | None]) -> str:
        """A version: these files are written, None removes."""
        for path, text in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                file.unlink()
            else:
                file.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def shown(self, base: str, head: str) -> dict[str, set[int]]:
        """The lines of the new version in git's own diff: where a forge takes comments."""
        shown: dict[str, set[int]] = {}
        path = ""
        for line in self.git("-c", "core.quotePath=off", "diff", "-M", f"{base}...{head}").splitlines():
            if line.startswith("+++ b/"):
                path = line[6:].rstrip("\t")
            elif found := HUNK.match(line):
                start, count = int(found[1]), int(found[2] or 1)
                shown.setdefault(path, set()).update(range(start, start + count))
        return shown


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    for name in list(os.environ):
        if name.startswith(PREFIXES) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


@pytest.fixture
def forge(monkeypatch):
    with Forge("github", State("", "")) as server:
        monkeypatch.setenv("GITHUB_API_URL", server.web)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        yield server.state


def review(repository, *arguments):
    line = ("review", str(repository.folder), "--pr", "7", "--forge", "github", "--repo", "o/r", *arguments)
    return CliRunner().invoke(commands, line, standalone_mode=False)


def push(repository, forge, base, head, *arguments):
    """What the forge holds after a push, and what the command said."""
    forge.base, forge.head, forge.shown = base, head, repository.shown(base, head)
    done = review(repository, *arguments)
    assert done.exception is None, done.exception
    return done


def texts(comments) -> str:
    return "\n".join(comment["body"] for comment in comments)


def test_a_new_finding(repository, forge):
    base = repository.commit(SOUND)
    done = push(repository, forge, base, repository.commit({"ds.json": BARE}))
    (comment,) = forge.comments
    assert comment["path"] == "ds.json" and "MM303" in comment["body"]
    assert "1 warning" in texts(forge.talk) and done.return_value == 1


def test_an_activated_finding(repository, forge):
    """The launch names another configuration, and old lines of that become a failure."""
    base = repository.commit({**SOUND, "other.json": BARE})
    push(repository, forge, base, repository.commit({"run.sh": RUN.replace("ds.json", "other.json")}))
    (comment,) = forge.comments
    assert comment["path"] == "run.sh" and "`other.json:" in comment["body"]


def test_a_mended_finding(repository, forge):
    base = repository.commit({**SOUND, "ds.json": BARE})
    done = push(repository, forge, base, repository.commit({"ds.json": CLIPPED}))
    assert not forge.comments and "Mended" in texts(forge.talk) and done.return_value == 0


@pytest.mark.parametrize(
    "files",
    [
        {"ds.json": "\n\n" + BARE},
        {"train.py": "import os\n\n" + TRAIN},
        {"ds.json": None, "moved.json": BARE, "run.sh": RUN.replace("ds.json", "moved.json")},
        {"weights.bin": b"\0\1\2" * 500},
        {},
    ],
    ids=["moved lines", "moved code", "renamed", "binary", "empty"],
)
def test_a_change_that_brings_nothing_is_silent(repository, forge, files):
    base = repository.commit({**SOUND, "ds.json": BARE})
    done = push(repository, forge, base, repository.commit(files))
    assert not forge.writes and done.return_value == 0


def test_a_deleted_file(repository, forge):
    base = repository.commit({**SOUND, "ds.json": BARE})
    push(repository, forge, base, repository.commit({"ds.json": None, "run.sh": None, "train.py": None}))
    assert not forge.writes


def test_a_deleted_file_that_a_launch_names(repository, forge):
    base = repository.commit({**SOUND, "ds.json": BARE})
    push(repository, forge, base, repository.commit({"ds.json": None}))
    assert not forge.comments
    assert "is deleted by this change" in texts(forge.talk) and "Gone, not mended" in texts(forge.talk)


def test_a_change_that_silences_itself(repository, forge):
    script = "from transformers import TrainingArguments, Trainer\n"
    base = repository.commit({"train.py": script, "requirements.txt": PINS})
    yaml = "# mmcodemod: ignore[MM303] we know\n"
    head = repository.commit({"train.py": script + yaml})
    push(repository, forge, base, head)
    assert "Suppressions that this change adds" in texts(forge.talk)
    assert "`MM303`: we know" in texts(forge.talk)


def test_a_second_push(repository, forge):
    base = repository.commit(SOUND)
    push(repository, forge, base, repository.commit({"ds.json": BARE}))
    before = list(forge.writes)
    push(repository, forge, base, repository.commit({"README.md": "more\n"}))
    assert len(forge.comments) == len(forge.talk) == 1
    assert [path for _, path in forge.writes[len(before) :]] == [
        f"/repos/o/r/issues/comments/{forge.talk[0]['id']}"
    ]
    head = repository.commit({"ds.json": CLIPPED})
    push(repository, forge, base, head)
    assert forge.comments[0]["body"].startswith(f"**Resolved** in `{head[:12]}`")
    assert len(forge.comments) == len(forge.talk) == 1 and "All is resolved" in texts(forge.talk)


def test_a_fork_whose_token_may_only_read(repository, forge):
    base = repository.commit(SOUND)
    forge.base, forge.head = base, repository.commit({"ds.json": BARE})
    forge.faults.append(Fault(403, ("POST", ""), 9, message="Resource not accessible by integration"))
    done = review(repository)
    assert "use the job summary" in str(done.exception) and done.exception.exit_code == 2
    assert "MM303" in done.stdout, "what was found is printed all the same"


def test_without_a_token(repository, forge, monkeypatch):
    monkeypatch.delenv("GITHUB_TOKEN")
    done = review(repository)
    assert "set GITHUB_TOKEN" in str(done.exception) and not forge.log


def test_a_version_that_was_not_fetched(repository, forge):
    forge.base, forge.head = repository.commit(SOUND), "9" * 40
    done = review(repository)
    assert "git fetch origin main pull/7/head" in str(done.exception)


def test_a_tree_in_a_folder(repository, forge):
    base = repository.commit({f"sub/{path}": text for path, text in SOUND.items()})
    forge.base, forge.head = base, repository.commit({"sub/ds.json": BARE})
    forge.shown = repository.shown(base, forge.head)
    line = ("review", str(repository.folder / "sub"), "--pr", "7", "--forge", "github", "--repo", "o/r")
    assert CliRunner().invoke(commands, line, standalone_mode=False).exception is None
    assert [comment["path"] for comment in forge.comments] == ["sub/ds.json"]


def test_a_base_that_moved_on_is_no_part_of_the_change(repository, forge):
    repository.commit({**SOUND, "ds.json": BARE})
    repository.git("checkout", "-q", "-b", "topic")
    head = repository.commit({"README.md": "x\n"})
    repository.git("checkout", "-q", "main")
    push(repository, forge, repository.commit({"ds.json": CLIPPED}), head)
    assert not forge.writes


def test_five_thousand_files(repository, forge):
    base = repository.commit({**SOUND, **{f"d{n % 50}/f{n}.txt": "a\n" for n in range(5000)}})
    files = {f"d{n % 50}/f{n}.txt": "b\n" for n in range(5000)}
    push(repository, forge, base, repository.commit({**files, "ds.json": BARE}))
    assert [comment["path"] for comment in forge.comments] == ["ds.json"]


def test_a_dry_run_asks_nobody_and_is_valid(repository, forge, request):
    base = repository.commit(SOUND)
    repository.commit({"ds.json": BARE})
    one, two = (review(repository, "--base", base, "--dry-run") for _ in range(2))
    assert one.stdout == two.stdout and not forge.log
    assert [row["method"] for row in json.loads(one.stdout)] == ["POST", "POST"]


def test_a_dry_run_against_the_description(repository, prism, monkeypatch):
    from test_prism import status

    base = repository.commit(SOUND)
    repository.commit({"ds.json": BARE, "run.sh": RUN + "# mmcodemod: ignore[MM303] known\n"})
    monkeypatch.setenv("GITHUB_API_URL", prism)
    rows = json.loads(review(repository, "--base", base, "--dry-run").stdout)
    assert rows and {status(row) for row in rows} <= {200, 201}
