"""Equal input gives equal bytes, whatever the run, the hash seed, the order of files or a cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import all_cases

from mmcodemod import pipeline
from mmcodemod.engine.registry import names
from mmcodemod.report import json
from mmcodemod.source.tree import MemoryTree, Tree

SOURCE = Path(__file__).parents[1] / "src"
CASES = all_cases()


def one_tree() -> dict[str, bytes]:
    """All cases beside each other: many files, contexts and findings."""
    return {
        f"case{number}/{path}": data for number, case in enumerate(CASES) for path, data in case.files.items()
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, data in one_tree().items():
        file = tmp_path / "tree" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return tmp_path / "tree"


def rendered(tree: Tree) -> str:
    return json.render(pipeline.check(tree), names())


def checked(folder: Path, seed: int, *more: str) -> bytes:
    """What a fresh process prints."""
    command = [sys.executable, "-m", "mmcodemod", "check", "--format", "json", *more, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(command, capture_output=True, env=environment, cwd=folder)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


def test_there_is_something_to_find() -> None:
    report = pipeline.check(MemoryTree(one_tree()))
    assert report.findings
    assert report.dismissed
    assert len(report.contexts) > 1


def test_two_runs_print_the_same() -> None:
    assert rendered(MemoryTree(one_tree())) == rendered(MemoryTree(one_tree()))


def test_the_order_of_files_does_not_matter() -> None:
    files = one_tree()
    backwards = dict(sorted(files.items(), reverse=True))
    assert rendered(MemoryTree(backwards)) == rendered(MemoryTree(files))


def test_the_hash_seed_does_not_matter(folder: Path) -> None:
    first, second = checked(folder, 0), checked(folder, 1)
    assert first == second
    assert b'"findings"' in first


def test_the_folder_does_not_matter(folder: Path, tmp_path: Path) -> None:
    before = checked(folder, 0)
    folder.rename(tmp_path / "elsewhere")
    assert checked(tmp_path / "elsewhere", 0) == before


def test_a_check_writes_nothing_into_the_tree(folder: Path) -> None:
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    checked(folder, 0)
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_fix_in_memory_leaves_the_tree_alone(case) -> None:
    files = dict(case.files)
    pipeline.fix(MemoryTree(files), unsafe=True)
    assert files == case.files
