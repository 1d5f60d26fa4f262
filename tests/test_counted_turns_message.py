"""MM211: a note about a transformers whose tokenizer fits names what is required, and where."""

from __future__ import annotations

import pytest

from mmcodemod import pipeline
from mmcodemod.source.tree import text_tree

CODE = """\
from torch.utils.data import Dataset
from transformers import Trainer


class Talks(Dataset):
    def __getitem__(self, i):
        ids, turns = self.read(i)
        labels = ids.clone()
        if sum(len(turn) for turn in turns) != labels.shape[0]:
            labels[:] = -100
            print("mismatch, ignored")
        return {"input_ids": ids, "labels": labels}


class OfScores(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        scores = model(inputs["input_ids"]).logits.log_softmax(-1)
        return (scores[0::2] - scores[1::2]).mean()


def train():
    %s(model=build(), train_dataset=Talks()).train()


if __name__ == "__main__":
    train()
"""
RUN = {"run.sh": "torchrun --nproc_per_node 8 train.py\n"}
PIN = {"requirements.txt": "torch==2.0.1\ntransformers==4.31.0\n"}
AGREE = (
    "whether template and tokenizer agree: with transformers==4.31.0 (requirements.txt:2) Llama's tokenizer "
    "counts the turns as such code does, and few samples differ"
)
MADE = "what `compute_loss` (train.py:16), which takes no loss of the model, gives over no label"


@pytest.mark.parametrize(
    ("trainer", "pin", "goes_on", "fact"),
    [
        ("Trainer", PIN, "a loss of 0 or NaN and learns nothing", AGREE),
        ("OfScores", {}, "what `compute_loss` makes of no label", MADE),
        ("OfScores", PIN, "what `compute_loss` makes of no label", f"{MADE}; and {AGREE}"),
    ],
)
def test_what_is_open(trainer: str, pin: dict[str, str], goes_on: str, fact: str) -> None:
    report = pipeline.check(text_tree({**RUN, **pin, "train.py": CODE % trainer}))
    (found,) = (f for f in report.findings if f.rule == "MM211")
    assert found.message.endswith(f"the run goes on with {goes_on}. This depends on {fact}.")
