"""Flags that Fire hands on as keywords, and that a helper sets on an object of the program."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

CONFIG = """\
from dataclasses import dataclass


@dataclass
class train_config:
    strategy: str = "packing"
    lr: float = 1e-4
"""
HELPERS = """\
from torch.utils.data import DataLoader, DistributedSampler


def update_config(config, **kwargs):
    if isinstance(config, (tuple, list)):
        for one in config:
            update_config(one, **kwargs)
    else:
        for name, value in kwargs.items():
            if hasattr(config, name):
                {stored}


def loader_of(train_config, data):
    if train_config.strategy == "padding":
        return DataLoader(data)
    elif train_config.strategy == "packing":
        return DataLoader(data, sampler=DistributedSampler(data))
"""
TRAIN = """\
import fire
import torch
import torch.distributed as dist
from config import train_config as TRAIN_CONFIG
from helpers import loader_of, update_config
from transformers import AutoModel


def main(**kwargs):
    train_config = TRAIN_CONFIG()
    {filled}
    dist.init_process_group("nccl")
    model = torch.nn.parallel.DistributedDataParallel(AutoModel.from_pretrained("gpt2"))
    loader = loader_of(train_config, torch.load("data.pt"))
    optimizer = torch.optim.AdamW(model.parameters(), lr=train_config.lr)
    for epoch in range(4):
        for batch in loader:
            model(**batch).loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()


if __name__ == "__main__":
    {started}
"""
STORED, FILLED, STARTED = (
    "setattr(config, name, value)",
    "update_config((train_config,), **kwargs)",
    "fire.Fire(main)",
)


def unshuffled(flags, stored=STORED, filled=FILLED, started=STARTED, train=TRAIN):
    """Is MM409 told of the sampler of the other side?"""
    files = {
        "config.py": CONFIG,
        "helpers.py": HELPERS.format(stored=stored),
        "train.py": train.format(filled=filled, started=started),
        "run.sh": f"torchrun --nproc_per_node 8 train.py {flags}\n",
    }
    return bool([f for f in check(text_tree(files), Settings()).findings if f.rule == "MM409"])


@pytest.mark.parametrize("filled", [FILLED, "update_config(train_config, **kwargs)"])
def test_what_the_launch_gives_decides(filled):
    assert not unshuffled("--strategy padding", filled=filled)
    assert unshuffled("--strategy packing", filled=filled)
    assert unshuffled("--lr 0.1", filled=filled)


@pytest.mark.parametrize(
    "parts",
    [
        {"stored": "print(name, value)"},
        {"filled": "print(kwargs)"},
        {"filled": "update_config(train_config, lr=3.0)"},
        {"started": "main(lr=3.0)"},
    ],
)
def test_it_does_not_where_nothing_hands_it_on(parts):
    assert unshuffled("--strategy padding", **parts)


def test_it_does_where_the_class_itself_is_filled():
    held = TRAIN.replace(" as TRAIN_CONFIG", "").replace("    train_config = TRAIN_CONFIG()\n", "")
    assert not unshuffled("--strategy padding", train=held)
    assert unshuffled("--strategy packing", train=held)
    assert unshuffled("--strategy padding", train=held, stored="print(name, value)")
