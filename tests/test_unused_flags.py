"""Whose dataclasses take the flags of a launch."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

SCORE = """\
from dataclasses import dataclass

import transformers


@dataclass
class Arguments:
    folder: str = "out"


def score(folder):
    return len(folder)


if __name__ == "__main__":
    parser = transformers.HfArgumentParser((Arguments,))
    (arguments,) = parser.parse_args_into_dataclasses()
    score(arguments.folder)
"""
TRAIN = """\
import argparse

import torch
from transformers import AutoModelForCausalLM

from score import score

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)


def main(loader):
    args = parser.parse_args()
    model = AutoModelForCausalLM.from_pretrained("org/base")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for epoch in range(args.epochs):
        for batch in loader:
            model(**batch).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    score("out")


if __name__ == "__main__":
    main(make_loader())
"""


def test_the_main_block_of_an_imported_file_parses_nothing():
    run = "torchrun --nproc_per_node 8 train.py --epochs 3\n"
    tree = text_tree({"score.py": SCORE, "train.py": TRAIN, "run.sh": run})
    (finding,) = check(tree, Settings(select=("MM301", "MM515"), preview=True)).findings
    assert (finding.rule, finding.severity.value) == ("MM301", "warning")


FIELDS = """\
from dataclasses import dataclass

import torch.distributed as dist
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments


@dataclass
class Args(TrainingArguments):
    tower: str = "clip"
    {own}


def main():
    (args,) = HfArgumentParser(Args).parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=args).train()


if __name__ == "__main__":
    main()
"""


def barrier(flags, pin, own="depth: int = 2"):
    """The severity and message of the barrier on one rank."""
    launch = f"torchrun --nproc_per_node 8 train.py --output_dir out {flags}\n"
    files = {"train.py": FIELDS.format(own=own), "run.sh": launch, "requirements.txt": pin}
    report = check(text_tree(files), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


@pytest.mark.parametrize(
    ("flags", "pin", "ends"),
    [
        ("--evaluation_strategy no", "transformers==4.51.3\n", "no more since 4.51"),
        ("--evaluation_strategy no", "transformers>=4.52\n", "no more since 4.51"),
        ("--eval_strategy no", "transformers==4.37.2\n", "only since 4.41"),
    ],
)
def test_a_release_may_not_have_the_field(flags, pin, ends):
    severity, message = barrier(flags, pin)
    assert severity == "info"
    assert f"transformers has `{flags.split()[0]}` {ends}, and transformers{pin.strip()[12:]}" in message


@pytest.mark.parametrize(
    ("flags", "pin", "own"),
    [
        ("--evaluation_strategy no", "transformers==4.37.2\n", "depth: int = 2"),
        ("--evaluation_strategy no", "transformers\n", "depth: int = 2"),
        ("--evaluation_strategy no", "transformers>=4.37\n", "depth: int = 2"),
        ("--evaluation_strategy no", "transformers==4.51.3\n", 'evaluation_strategy: str = "no"'),
        ("--eval_strategy no", "transformers==4.51.3\n", "depth: int = 2"),
    ],
)
def test_others_have_it(flags, pin, own):
    assert barrier(flags, pin, own)[0] == "error"
