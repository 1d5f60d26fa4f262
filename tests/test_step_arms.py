"""What MM301 says of optimizer steps on the two sides of a test."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import argparse

import torch
from transformers import AutoModelForCausalLM

from settings import precise

parser = argparse.ArgumentParser()
parser.add_argument("--half", default={default})


def main(loader):
    args = parser.parse_args()
    model = AutoModelForCausalLM.from_pretrained("org/base")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    scaler = torch.amp.GradScaler("cuda")
    for batch in loader:
        loss = model(**batch).loss
        if {test}:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main(make_loader())
"""


def _found(test: str, default: str) -> str:
    files = {
        "train.py": TRAIN.format(test=test, default=default),
        "run.sh": "torchrun --nproc_per_node 8 train.py\n",
    }
    (finding,) = check(text_tree(files), Settings(select=("MM301",))).findings
    assert finding.severity.value == "warning"
    return f"{finding.at.line}: {finding.message}"


def test_where_the_side_is_open_both_steps_are_named():
    told = "Whichever side the run takes, `scaler.step(optimizer)` or `optimizer.step()` in line 25 uses the"
    assert _found("not precise", "False").startswith(
        f"21: {told} gradients of the backward pass at full size"
    )


@pytest.mark.parametrize(
    "default, line, step", [("True", 21, "scaler.step(optimizer)"), ("False", 25, "optimizer.step()")]
)
def test_where_the_side_is_known_its_step_alone(default: str, line: int, step: str):
    assert _found("args.half", default).startswith(
        f"{line}: `{step}` uses the gradients of the backward pass at full size"
    )
