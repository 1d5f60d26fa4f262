"""MM211: what the loss of two answers without labels is, with and without a cross entropy in the sum."""

from __future__ import annotations

import pytest

from mmcodemod import pipeline
from mmcodemod.source.tree import text_tree

CODE = """\
from torch import nn
from torch.nn.functional import logsigmoid
from torch.utils.data import Dataset
from transformers import Trainer


def masked(parts, ids):
    labels = ids.clone()
    if sum(len(part) for part in parts) != len(ids):
        labels[:] = -100
        print("mismatch, ignored")
    return {{"input_ids": ids, "labels": labels}}


class Talks(Dataset):
    def __init__(self, talks):
        self.talks = talks

    def __getitem__(self, i):
        return masked(*self.talks[i])


class OfPairs(Trainer):
    factor = 0.0

    def preferred(self, chosen, rejected):
        return -logsigmoid(0.1 * (chosen - rejected))

    def imitated(self, scores, labels):
        return nn.CrossEntropyLoss({reduction})(scores.flatten(0, 1), labels.flatten())

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        chosen, rejected, scores = model(**inputs)
        pairs = self.preferred(chosen, rejected).mean()
        copied = self.imitated(scores, inputs["labels"])
        self.log({{"imitated": copied.item()}})
        {rest}


def train():
    OfPairs(model=build(), train_dataset=Talks(read()), data_collator=stacked).train()


if __name__ == "__main__":
    train()
"""
RUN = {"run.sh": "torchrun --nproc_per_node 8 train.py\n"}
OFF = "if self.factor > 0:\n            pairs = pairs + copied\n        return pairs"
EITHER = "if self.args.imitate:\n            pairs = pairs + copied\n        return pairs"


@pytest.mark.parametrize(
    ("rest", "reduction", "loss"),
    [
        ("return pairs + self.factor * copied", "", "a loss of 0 or NaN and"),
        ("pairs += copied\n        return pairs", "", "a loss of 0 or NaN and"),
        (OFF, "", "a loss of log 2 and"),
        (EITHER, "", "a loss of log 2 (0 or NaN where a cross entropy is added) and"),
        ("return pairs + self.factor * copied", 'reduction="sum"', "a loss of log 2 and"),
        ("return pairs", "", "a loss of log 2 and"),
        ("return pairs + pairs.norm()", "", "a loss of log 2 and"),
    ],
)
def test_what_the_loss_is(rest: str, reduction: str, loss: str) -> None:
    files = {**RUN, "train.py": CODE.format(rest=rest, reduction=reduction)}
    (found,) = (f for f in pipeline.check(text_tree(files)).findings if f.rule == "MM211")
    assert loss in found.message
