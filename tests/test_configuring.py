"""What code loads is added to the contexts in a stage that may fail and may not ask for its own result."""

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project import index, loaded_configs
from mmcodemod.project.model import Project
from mmcodemod.source.tree import text_tree

CODE = """\
import json
import deepspeed

def main(model):
    engine, _, _, _ = deepspeed.initialize(model=model, config=json.load(open("ds.json")))
    engine.backward(engine(1))
    engine.step()

main(build())
"""
FILES = {
    "train.py": CODE,
    "ds.json": '{"train_batch_size": 8, "zero_optimization": {"stage": 3}}',
    "run.sh": "deepspeed --num_gpus 2 train.py\n",
}


def test_the_file_that_code_loads_is_part_of_the_context() -> None:
    (context,) = build_project(text_tree(FILES)).contexts
    assert context.configs == ("ds.json",) and context.option("deepspeed.zero_optimization.stage").value == 3


def test_a_crash_leaves_the_context_as_its_launch_says(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(loaded_configs, "_loaded", crash)
    project = build_project(text_tree(FILES))
    (context,) = project.contexts
    assert not context.configs
    (problem,) = project.problems
    assert (problem.path, problem.kind) == ("train.py", "analysis") and "on purpose" in problem.message


def test_the_stage_may_not_ask_for_what_it_makes() -> None:
    project = Project(
        index.build(text_tree(FILES)), configure=lambda project, plain: (*project.contexts, *plain)
    )
    with pytest.raises(RuntimeError, match="while they are made"):
        assert project.contexts
