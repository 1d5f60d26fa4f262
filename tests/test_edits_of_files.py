"""Edits by span in real files: those of the samples, and those of the wheels that MMCODEMOD_WHEELS names."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from cases import all_cases
from edit_files import tried

WHEELS = os.environ.get("MMCODEMOD_WHEELS", "")


def test_samples() -> None:
    counts = Counter()
    for name, data in sorted({(Path(n).name, d) for case in all_cases() for n, d in case.files.items()}):
        tried(name, data, counts)
    for kind in (".json", ".yaml", ".sh", ".py"):
        assert counts[kind, "set edited"] > 20, kind


@pytest.mark.skipif(not WHEELS, reason="MMCODEMOD_WHEELS names no folder")
def test_wheels() -> None:
    counts = Counter()
    files = sorted(
        file for file in Path(WHEELS).rglob("*") if file.suffix in (".json", ".yaml", ".yml", ".sh")
    )
    python = sorted(Path(WHEELS).rglob("*.py"))[::40]
    for file in [*files, *python]:
        tried(file.name, file.read_bytes(), counts)
    assert counts[".py", "set edited"] > 20
