"""Which of the values that a generator of the tree hands out only count."""

from __future__ import annotations

import ast

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project.counted import counted
from mmcodemod.project.flow import flow_of
from mmcodemod.source.tree import MemoryTree

TEXT = """
import torch

def walk(loader, first, last):
{body}

def main(loader):
    for number, batch in walk(loader, 0, 9):
        batch.mean().backward()

if __name__ == "__main__":
    main(None)
"""
BODIES = {
    "for n, b in enumerate(loader):\n    yield n, b": {0},
    "for n, b in enumerate(loader):\n    yield b, n + 1": {1},
    "for n in range(first, last):\n    yield n, next(loader)": {0},
    "n = 0\nfor b in loader:\n    yield n, b\n    n += 1": {0},
    "n = 0\nfor b in loader:\n    if b.any():\n        n += 1\n    yield n, b": set(),
    "yield from enumerate(loader)": {0},
    "return enumerate(loader)": {0},
    "for first, b in enumerate(loader):\n    yield first, b": set(),
    "for n, b in enumerate(loader):\n    yield b.sum(), b": set(),
    "for n, b in enumerate(loader):\n    yield n, b\nfor n in loader:\n    yield n, n": set(),
}


@pytest.mark.parametrize("body", list(BODIES))
def test_positions_that_count(body: str) -> None:
    text = TEXT.format(body="\n".join(f"    {line}" for line in body.splitlines()))
    project = build_project(MemoryTree({"train.py": text.encode()}))
    call = next(s.iter for s in flow_of(project, "train.py::main").statements if isinstance(s, ast.For))
    assert isinstance(call, ast.Call)
    assert counted(project, "train.py::main", call) == BODIES[body]
