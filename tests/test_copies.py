"""Whole copies of published libraries: their own examples are no part of what is followed, unless the tree
runs nothing else."""

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.source.tree import text_tree

LOOP = """\
import torch

def main():
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(4)).sum()
    loss.backward()
    optimizer.step()

if __name__ == "__main__":
    main()
"""
COPY = {
    "libs/peft/setup.py": "from setuptools import setup\nsetup(name='peft')\n",
    "libs/peft/src/peft/__init__.py": "",
    "libs/peft/examples/tune.py": LOOP,
}
INSIDE = "libs/peft/examples/tune.py::main"


def followed(files: dict[str, str]) -> set[str]:
    """The functions in the call graph."""
    graph = build_project(text_tree({**COPY, **files})).graph
    return {frame.function for frame in graph.edges}


def test_examples_of_a_copy_are_not_followed_beside_a_run_of_the_tree():
    found = followed({"train.py": LOOP})
    assert "train.py::main" in found
    assert INSIDE not in found


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"notes.py": "if __name__ == '__main__':\n    print('no run')\n"},
        {"train.py": LOOP, "run.sh": "torchrun --nproc_per_node 2 libs/peft/examples/tune.py\n"},
    ],
)
def test_they_are_where_the_tree_runs_them_or_nothing_else(files):
    assert INSIDE in followed(files)


def test_what_a_run_of_the_tree_calls_of_a_copy_is_followed():
    calls = LOOP.replace("import torch\n", "import torch\nfrom peft import tuning\n")
    calls = calls.replace("    main()\n", "    main()\n    tuning.main()\n")
    files = {"train.py": calls, "libs/peft/src/peft/tuning.py": LOOP}
    assert "libs/peft/src/peft/tuning.py::main" in followed(files)


def test_a_launch_of_the_copy_itself_is_left_out():
    launch = {"libs/peft/examples/run.sh": "torchrun --nproc_per_node 2 libs/peft/examples/tune.py\n"}
    assert INSIDE not in followed({"train.py": LOOP, **launch})
    assert INSIDE in followed(launch)
