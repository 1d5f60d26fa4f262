"""`mmcodemod preflight -- COMMAND`: the one run is checked, then started or not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmcodemod.facts.shell import parse
from mmcodemod.model.given import Given, deciding
from mmcodemod.project.given_command import command_of

TRAIN = """
from transformers import Trainer, TrainingArguments, HfArgumentParser


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    trainer = Trainer(model=None, args=args)
    trainer.train()
    if trainer.args.local_rank == 0:
        trainer.save_model()


if __name__ == "__main__":
    main()
"""
STARTED = '#!/bin/sh\necho "started $@"\ntouch started\nexit 3\n'


@pytest.fixture
def repository(tmp_path):
    files = {
        "train.py": TRAIN,
        "setup.py": "",
        "run.sh": "torchrun train.py --deepspeed zero3.json --output_dir x\n",
    }
    for stage in (2, 3):
        files[f"zero{stage}.json"] = (
            f'{{"zero_optimization": {{"stage": {stage}}}, "gradient_clipping": 1.0}}\n'
        )
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "torchrun"
    program.write_text(STARTED)
    program.chmod(0o755)
    return tmp_path


def preflight(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "MMCODEMOD_CACHE_DIR": str(folder.parent / "cache"), **variables}
    command = [sys.executable, "-m", "mmcodemod", "preflight", *arguments]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )


LAUNCH = ("torchrun", "--nproc_per_node", "8", "train.py", "--output_dir", "x", "--deepspeed")


def test_a_run_that_will_hang_is_not_started(repository):
    result = preflight(repository, "--", *LAUNCH, "zero3.json")
    assert result.returncode == 1
    assert "MM402" in result.stderr and "command line:1" in result.stderr and "not started" in result.stderr
    assert result.stdout == ""
    assert not (repository / "started").exists()


def test_force_starts_it(repository):
    result = preflight(repository, "--force", "--", *LAUNCH, "zero3.json")
    assert (result.returncode, (repository / "started").exists()) == (3, True)
    assert "MM402" in result.stderr


def test_a_run_that_looks_right_is_started_with_its_own_streams_and_exit_code(repository):
    result = preflight(repository, "--", *LAUNCH, "zero2.json")
    assert result.returncode == 3
    assert result.stdout == f"started {' '.join(LAUNCH[1:])} zero2.json\n"
    assert "1 run looks right" in result.stderr


def test_what_the_configured_baseline_knows_does_not_stop_a_run(repository):
    (repository / "mmcodemod.toml").write_text('baseline = "known.json"\n')
    assert preflight(repository, "--", *LAUNCH, "zero3.json").returncode == 2  # there is no such file yet
    command = [sys.executable, "-m", "mmcodemod", "baseline", "--no-cache"]
    subprocess.run(command, cwd=repository, check=True, capture_output=True, timeout=120)
    result = preflight(repository, "--", *LAUNCH, "zero3.json")
    assert (result.returncode, (repository / "started").exists()) == (3, True)
    assert "MM402" not in result.stderr and "2 known findings are left out" in result.stderr
    (repository / "other.json").write_text('{"zero_optimization": {"stage": 2}}\n')
    assert preflight(repository, "--", *LAUNCH, "other.json").returncode == 1


def test_a_dry_run_starts_nothing(repository):
    assert preflight(repository, "--dry-run", "--", *LAUNCH, "zero2.json").returncode == 0
    assert preflight(repository, "--dry-run", "--", *LAUNCH, "zero3.json").returncode == 1
    assert not (repository / "started").exists()


def test_a_script_is_read_for_what_it_starts(repository):
    result = preflight(repository, "--", "bash", "run.sh")
    assert result.returncode == 1
    assert "run.sh:1" in result.stderr


def test_the_working_folder_counts(repository):
    (repository / "below").mkdir()
    command = ["torchrun", "../train.py", "--output_dir", "x", "--deepspeed", "../zero3.json"]
    result = subprocess.run(
        [sys.executable, "-m", "mmcodemod", "preflight", "--no-cache", "--dry-run", "--", *command],
        cwd=repository / "below", capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (result.returncode, "MM402" in result.stderr) == (1, True)


@pytest.mark.parametrize("command", [["true"], ["sh", "-c", "torchrun train.py --deepspeed zero3.json"]])
def test_what_starts_no_training_is_handed_over(repository, command):
    result = preflight(repository, "--dry-run", "--", *command)
    assert result.returncode == 0
    assert "nothing was checked" in result.stderr


def test_nothing_in_the_command_is_evaluated(repository):
    evil = ["$(touch pwned)", "`touch pwned`", "$HOME", "a; touch pwned", "*"]
    result = preflight(repository, "--dry-run", "--", *LAUNCH, "zero3.json", *evil)
    assert result.returncode == 1
    assert not (repository / "pwned").exists()
    words = command_of(Given((*LAUNCH, *evil))).words
    assert [word.text for word in words] == [*LAUNCH, *evil]
    assert not any(word.unknown for word in words)
    assert len(parse(Given(tuple(evil)).text).commands) == 1


def test_a_program_that_is_not_there(repository):
    result = preflight(repository, "--", "no-such-program")
    assert result.returncode == 127
    assert "command not found" in result.stderr


def test_a_program_that_cannot_be_run(repository):
    (repository / "bin" / "broken").write_bytes(b"\x7fELF")
    (repository / "bin" / "broken").chmod(0o755)
    assert preflight(repository, "--", "broken").returncode == 126


@pytest.mark.parametrize(
    "arguments", [(), ("--no-such-option", "--", "true"), ("--root", "bin", "--", "true")]
)
def test_wrong_arguments(repository, arguments):
    assert preflight(repository, *arguments).returncode == 2


def test_of_the_environment_only_what_decides_a_launch_is_looked_at(repository):
    assert deciding({"HF_TOKEN": "x", "WORLD_SIZE": "8", "ACCELERATE_USE_FSDP": "1"}) == (
        ("ACCELERATE_USE_FSDP", "1"),
        ("WORLD_SIZE", "8"),
    )


def test_the_same_question_is_answered_from_the_cache(repository):
    first = preflight(repository, "--dry-run", "--", *LAUNCH, "zero3.json")
    second = preflight(repository, "--dry-run", "--", *LAUNCH, "zero3.json")
    other = preflight(repository, "--dry-run", "--", *LAUNCH, "zero2.json")
    assert (first.stderr, first.returncode) == (second.stderr, second.returncode)
    assert other.returncode == 0
