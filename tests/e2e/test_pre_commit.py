"""The hooks in a fresh repository, by pre-commit itself and from a clone of this checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHARED = ("src", "codemods", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
FILES = {
    "ds.json": '{\n  "zero_optimization": {"stage": 2}\n}\n',
    "train.py": "from transformers import Trainer\n\nTrainer(model=build(), args=args).train()\n",
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
    "requirements.txt": "deepspeed==0.12.6\n",
}
CONFIGURATION = "repos:\n- repo: {hooks}\n  rev: {rev}\n  hooks:\n  - id: {hook}\n"


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.hooksPath=/dev/null")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def hooks(tmp_path_factory):
    """A repository of what users clone: the checkout as it is now, committed."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in SHARED:
        source, target = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    git(folder, "init", "-q")
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "one")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Where pre-commit keeps the environments that it makes."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def repository(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    return tmp_path


def pre_commit(repository, hooks, home, hook, *arguments):
    pytest.importorskip("pre_commit")
    text = CONFIGURATION.format(hooks=hooks, rev=git(hooks, "rev-parse", "HEAD"), hook=hook)
    (repository / ".pre-commit-config.yaml").write_text(text)
    git(repository, "add", ".pre-commit-config.yaml")
    env = {**os.environ, "PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never"}
    env.pop("PYTHONPATH", None)
    command = [sys.executable, "-m", "pre_commit", "run", hook, *arguments]
    done = subprocess.run(command, cwd=repository, env=env, capture_output=True, text=True, timeout=900)
    assert "InvalidManifest" not in done.stdout and "Traceback" not in done.stdout, done.stdout
    return done.returncode, done.stdout


def test_check_fails_and_passes(repository, hooks, home):
    code, said = pre_commit(repository, hooks, home, "mmcodemod")
    assert code == 1 and "Failed" in said and "MM303 ds-gradient-clipping-absent" in said
    (repository / "ds.json").write_text('{"zero_optimization": {"stage": 2}, "gradient_clipping": 1.0}\n')
    git(repository, "add", "ds.json")
    code, said = pre_commit(repository, hooks, home, "mmcodemod")
    assert (code, "Passed" in said) == (0, True), said


def test_a_change_of_a_configuration_alone_is_checked_with_the_whole_repository(repository, hooks, home):
    git(repository, "commit", "-qm", "one")
    (repository / "ds.json").write_text('{\n  "zero_optimization": {"stage": 1}\n}\n')
    git(repository, "add", "ds.json")
    code, said = pre_commit(repository, hooks, home, "mmcodemod")
    assert code == 1 and "run.sh:1" in said


def test_a_change_that_mmcodemod_does_not_read_is_skipped(repository, hooks, home):
    git(repository, "commit", "-qm", "one")
    (repository / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    code, said = pre_commit(repository, hooks, home, "mmcodemod", "--files", "picture.png")
    assert (code, "Skipped" in said) == (0, True), said


def test_fix_writes_and_then_passes(repository, hooks, home):
    code, said = pre_commit(repository, hooks, home, "mmcodemod-fix")
    assert code == 1 and "files were modified by this hook" in said
    assert '"gradient_clipping": "auto"' in (repository / "ds.json").read_text()
    git(repository, "add", ".")
    code, said = pre_commit(repository, hooks, home, "mmcodemod-fix")
    assert (code, "Passed" in said) == (0, True), said
