"""Settings that the code itself names decide the strategy of a launch."""

from __future__ import annotations

from mmcodemod.model.context import Strategy
from mmcodemod.pipeline import build_project
from mmcodemod.source.tree import text_tree

TRAIN = """
from transformers import Trainer, TrainingArguments

def main(model):
    Trainer(model=model, args=TrainingArguments("out", deepspeed="{path}")).train()

if __name__ == "__main__":
    main(None)
"""
ZERO3 = '{"zero_optimization": {"stage": 3}, "gradient_clipping": "auto"}'


def _context(path, files):
    tree = text_tree(
        {"train.py": TRAIN.format(path=path), "run.sh": "torchrun --nproc_per_node 8 train.py\n", **files}
    )
    (context,) = build_project(tree).contexts
    return context


def test_a_configuration_named_in_code_decides_the_strategy():
    context = _context("conf/ds.json", {"conf/ds.json": ZERO3})
    assert context.strategy is Strategy.ZERO3
    assert context.configs == ("conf/ds.json",)
    assert str(context.strategy_from.at) == "conf/ds.json:1"


def test_a_configuration_outside_the_tree_decides_nothing():
    assert _context("/etc/ds.json", {"ds.json": ZERO3}).strategy is Strategy.DDP
    assert _context("../ds.json", {"ds.json": ZERO3}).strategy is Strategy.DDP


def test_the_launch_wins_over_the_code():
    files = {"ds.json": ZERO3, "two.json": '{"zero_optimization": {"stage": 2}}'}
    files["run.sh"] = "deepspeed train.py --deepspeed two.json\n"
    assert _context("ds.json", files).strategy is Strategy.ZERO2
