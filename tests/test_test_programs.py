"""Programs that hand over to a test runner are no training runs, unless something launches them."""

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.source.tree import text_tree

STEPS = "def step(model, batch):\n    model(batch).sum().backward()\n\n"
TRAIN = f"{STEPS}if __name__ == '__main__':\n    step(build(), read())\n"
RUNNERS = {
    "unittest": ("import unittest", "unittest.main()"),
    "its main": ("from unittest import main", "main(verbosity=2)"),
    "pytest": ("import pytest, sys", "sys.exit(pytest.main([__file__]))"),
    "absl": ("from absl.testing import absltest", "absltest.main()"),
    "tensorflow": ("import tensorflow as tf", "tf.test.main()"),
    "torch": ("from torch.testing._internal.common_utils import run_tests", "run_tests()"),
}


def program(runner):
    imported, call = RUNNERS[runner]
    return (
        f"{imported}\nimport train\n\ntrain.step(build(), read())\n\nif __name__ == '__main__':\n    {call}\n"
    )


def entries(**files):
    project = build_project(text_tree({"train.py": TRAIN, **files}))
    return {entry.path for entry in project.entries}


@pytest.mark.parametrize("runner", RUNNERS)
def test_they_are_no_entries(runner):
    assert entries(**{"tests/test_step.py": program(runner)}) == {"train.py"}


def test_a_main_of_its_own_is_one():
    text = program("unittest").replace("unittest.main()", "main()")
    assert entries(**{"tests/run.py": text}) == {"train.py", "tests/run.py"}


def test_one_that_a_script_starts_is_one():
    files = {"tests/test_step.py": program("unittest"), "run.sh": "torchrun tests/test_step.py\n"}
    assert "tests/test_step.py" in entries(**files)


def test_the_whole_graph_has_them():
    project = build_project(text_tree({"train.py": TRAIN, "tests/test_step.py": program("unittest")}))
    module = "tests/test_step.py::<module>"
    assert module in {frame.function for frame in project.whole_graph.frames}
    assert module not in {frame.function for frame in project.graph.frames}
