"""MM303: where the version of DeepSpeed is open, the message does not say that the run trains unclipped."""

from __future__ import annotations

import pytest

from mmcodemod import pipeline
from mmcodemod.source.tree import text_tree

FILES = {
    "train.py": "from transformers import Trainer\n\nTrainer(model=build(), args=arguments()).train()\n",
    "ds.json": '{"zero_optimization": {"stage": 2}}',
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
}


@pytest.mark.parametrize(
    ("required", "flat"),
    [("deepspeed", False), ("deepspeed>=0.9.5", False), ("deepspeed==0.12.6", True)],
)
def test_what_is_said_for_certain(required: str, flat: bool) -> None:
    report = pipeline.check(text_tree({**FILES, "requirements.txt": f"{required}\n"}))
    (found,) = (f for f in report.findings if f.rule == "MM303")
    assert ("train without gradient clipping" in found.message) is flat
    assert ("Whether these runs clip depends on the deepspeed version" in found.message) is not flat


OWN_LOOP = """\
import argparse

from accelerate import Accelerator


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max_grad_norm", type=float, default=1.0)
    args = parser.parse_args()
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(*parts())
    for batch in loader:
        accelerator.backward(model(batch))
        accelerator.clip_grad_norm_(model.parameters(), args.max_grad_norm)
        optimizer.step()


main()
"""


def test_whose_limit_is_not_applied() -> None:
    launch = "accelerate launch --use_deepspeed --deepspeed_config_file ds.json train.py\n"
    changed = {"train.py": OWN_LOOP, "run.sh": launch, "requirements.txt": "deepspeed==0.12.6\n"}
    report = pipeline.check(text_tree({**FILES, **changed}))
    (found,) = (f for f in report.findings if f.rule == "MM303")
    assert "the script's own max_grad_norm is not applied" in found.message
    assert "HF's" not in found.message
