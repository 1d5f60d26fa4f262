"""Training arguments that the code makes itself keep the launch's `--deepspeed` from the Trainer."""

from __future__ import annotations

import pytest

from mmcodemod.model.context import Strategy
from mmcodemod.pipeline import build_project
from mmcodemod.source.tree import text_tree

TRAIN = """
from dataclasses import dataclass

import transformers
from transformers import HfArgumentParser, Trainer, TrainingArguments
from trl import SFTConfig, SFTTrainer

@dataclass
class Arguments(transformers.TrainingArguments):
    new_model: str = "out"

class OwnTrainer(Trainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

def main(model, settings=None):
    args = HfArgumentParser(Arguments).parse_args_into_dataclasses()[0]
    {made}
    {trainer}.train()

if __name__ == "__main__":
    main(None)
"""
ZERO3 = '{"zero_optimization": {"stage": 3}}'
RUN = "torchrun --nproc_per_node 8 train.py --deepspeed ds.json\n"


def _context(made, trainer, run=RUN):
    files = {"train.py": TRAIN.format(made=made, trainer=trainer), "run.sh": run, "ds.json": ZERO3}
    (context,) = build_project(text_tree(files)).contexts
    return context


@pytest.mark.parametrize(
    ("made", "trainer"),
    [
        ("mine = TrainingArguments(output_dir=args.output_dir)", "SFTTrainer(model=model, args=mine)"),
        ("mine = Arguments(output_dir='x', bf16=args.bf16)", "Trainer(model, mine)"),
        ("pass", "SFTTrainer(model, args=SFTConfig('out', bf16=True))"),
        ("mine = TrainingArguments('out')", "OwnTrainer(model=model, args=mine)"),
    ],
)
def test_the_file_of_the_launch_is_not_that_of_the_trainer(made, trainer):
    context = _context(made, trainer)
    assert context.strategy is Strategy.UNKNOWN
    assert context.configs == ()
    assert context.strategy_from.at is not None and context.strategy_from.at.path == "train.py"


@pytest.mark.parametrize(
    ("made", "trainer"),
    [
        ("pass", "Trainer(model=model, args=args)"),
        ("mine = TrainingArguments('out', deepspeed=args.deepspeed)", "Trainer(model=model, args=mine)"),
        ("mine = TrainingArguments(**settings)", "Trainer(model=model, args=mine)"),
        ("mine = TrainingArguments('out') if settings else args", "Trainer(model=model, args=mine)"),
        ("mine = TrainingArguments('out'); mine.deepspeed = 'ds.json'", "Trainer(model=model, args=mine)"),
        ("mine = TrainingArguments('out'); Trainer(model, mine)", "Trainer(model=model, args=args)"),
    ],
)
def test_where_it_may_be_the_launch_decides(made, trainer):
    context = _context(made, trainer)
    assert context.strategy is Strategy.ZERO3
    assert context.configs == ("ds.json",)


def test_the_file_of_a_launcher_needs_no_arguments():
    run = "accelerate launch --use_deepspeed --deepspeed_config_file ds.json train.py\n"
    made = "mine = TrainingArguments('out')"
    assert _context(made, "Trainer(model=model, args=mine)", run).strategy is Strategy.ZERO3
