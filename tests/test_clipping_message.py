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
