"""Equal input gives equal bytes, whatever the run, the hash seed, the order of files or a cache."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from cases import Case, all_cases

from mmcodemod import pipeline
from mmcodemod.engine.registry import names
from mmcodemod.project.extraction import PAYS
from mmcodemod.report import json
from mmcodemod.source.tree import MemoryTree, Tree

SOURCE = Path(__file__).parents[1] / "src"
CASES = all_cases()
SHOWCASES = [case for case in CASES if case.title == "showcase"]
SOME = CASES[::4]
"""Cases of nearly every rule. All in one tree take a minute for each check, and the checks are many."""


def one_tree(cases: Sequence[Case] = SOME) -> dict[str, bytes]:
    """Cases beside each other: many files, contexts and findings."""
    return {
        f"case{number}/{path}": data for number, case in enumerate(cases) for path, data in case.files.items()
    }


def written(folder: Path, files: Mapping[str, bytes]) -> Path:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "tree", one_tree())


def rendered(tree: Tree) -> str:
    return json.render(pipeline.check(tree), names())


def checked(folder: Path, seed: int, *more: str) -> bytes:
    """What a fresh process prints. Without a cache, unless `more` says otherwise: a replay proves nothing."""
    more = more or ("--no-cache",)
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


@dataclass(frozen=True)
class Shuffled:
    """A tree that lists its files in any order."""

    base: Tree
    seed: int

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(random.Random(self.seed).sample(self.base.paths, len(self.base.paths)))

    @property
    def unread(self) -> frozenset[str]:
        return self.base.unread

    def read_bytes(self, path: str) -> bytes:
        return self.base.read_bytes(path)


def test_the_order_of_a_listing_does_not_matter() -> None:
    tree = MemoryTree(one_tree())
    assert Shuffled(tree, 1).paths != tree.paths
    assert rendered(Shuffled(tree, 1)) == rendered(tree)


def test_workers_and_the_cache_do_not_matter(tmp_path: Path) -> None:
    folder = written(tmp_path / "tree", one_tree(SHOWCASES))
    (folder / "large.py").write_bytes(b"# so that several processes are used\n" * (PAYS // 30))
    plain = checked(folder, 0, "--jobs", "1")
    assert b'"rule": "MM' in plain
    for jobs in ("1", "2", "4"):
        assert checked(folder, 2, "--cache-dir", str(tmp_path / jobs), "--jobs", jobs) == plain, "cold"
    assert checked(folder, 3, "--cache-dir", str(tmp_path / "1")) == plain, "warm"


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
