"""Whose dataclasses take the flags of a launch."""

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
