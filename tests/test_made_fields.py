"""Fields of a configuration that the code itself makes."""

from __future__ import annotations

import pytest

from mmcodemod.pipeline import check
from mmcodemod.source.tree import text_tree

TRAIN = """
from dataclasses import dataclass
import torch
from torch import nn

@dataclass
class Config:
    max_norm: float | None = None

def train(cfg: Config, model: nn.Module):
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for batch in batches():
        loss = model(batch).sum()
        loss.backward()
        if cfg.max_norm is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.max_norm)
        optimizer.step()
        optimizer.zero_grad()

if __name__ == "__main__":
    {more}
    train({config}, nn.TransformerEncoderLayer(8, 2))
"""


def unclipped(config="Config()", more="pass", **files):
    """Does MM301 say loudly that the steps of the run are not clipped?"""
    train = TRAIN.format(config=config, more=more)
    report = check(text_tree({"train.py": train, "run.sh": "python train.py\n", **files}))
    assert not [p for p in report.problems if p.kind == "rule"]
    return any(f.rule == "MM301" and f.severity.value == "warning" for f in report.findings)


def test_the_default_of_a_field():
    assert unclipped()
    assert unclipped(more="assert isinstance(Config(), Config)")


def test_what_all_constructions_give():
    assert not unclipped("Config(max_norm=1.0)")
    assert unclipped("Config(max_norm=None)", more="Config()")
    assert not unclipped(more="Config(max_norm=1.0)")
    assert not unclipped("Config(**read())")
    assert not unclipped("Config(1.0)")


@pytest.mark.parametrize(
    "more",
    (
        "parse(Config)",
        "made = Config",
        "other.max_norm = 1.0",
        "setattr(other, name, 1.0)",
        "other.__dict__.update(values)",
        "import dataclasses; dataclasses.replace(other, max_norm=1.0)",
    ),
)
def test_what_may_fill_it_otherwise(more):
    assert not unclipped(more=more)
    assert unclipped(more="print('text'.replace('a', 'b'))")


def test_another_file_hands_the_class_on():
    assert not unclipped(**{"tool.py": "from train import Config\nparse(Config)\n"})
