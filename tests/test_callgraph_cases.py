"""The call graph of small scripts is exactly what running them shows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from callgraph_cases import Case, all_cases, found_edges

CASES = all_cases()
NEEDS = ("accelerate", "peft", "torch", "transformers")  # libraries that some cases import
REAL = Path(__file__).with_name("real_calls.py")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_edges_are_exact(case: Case):
    found = found_edges(case.folder)
    missed, wrong = sorted(case.expected - found), sorted(found - case.expected)
    if case.todo:
        assert missed or wrong, f"{case.name} passes now: delete its todo ({case.todo})"
    else:
        assert (missed, wrong) == ([], [])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_expected_edges_are_what_really_happens(case: Case):
    command = [sys.executable, "-I", str(REAL), str(case.folder / "main.py")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    missing = [n for n in NEEDS if f"No module named '{n}'" in result.stderr]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    assert result.returncode == 0, result.stderr
    real = {(caller, callee) for caller, callees in json.loads(result.stdout).items() for callee in callees}
    assert real == {edge for edge in case.expected if edge[1].partition(".")[0] in _modules(case.folder)}


def _modules(folder: Path) -> set[str]:
    """First parts of the dotted names that the modules of a case may have."""
    return {part.removesuffix(".py") for p in folder.rglob("*.py") for part in p.relative_to(folder).parts}


def test_there_are_cases_and_few_are_missed():
    assert len(CASES) >= 60
    assert sum(bool(case.todo) for case in CASES) <= 3
