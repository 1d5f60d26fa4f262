"""What MM110 says, in each way in which the gather can be off."""

import json

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

KEY = "stage3_gather_16bit_weights_on_model_save"
OLD = "stage3_gather_fp16_weights_on_model_save"
TRAIN = (
    "from transformers import HfArgumentParser, Trainer, TrainingArguments\n\n"
    "(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\n"
    "trainer = Trainer(model=None, args=args)\n"
    "trainer.train()\n"
)
SAVES = "`save_model` writes DeepSpeed's shards in place of the weights."


@pytest.mark.parametrize(
    ("zero", "call", "said"),
    [
        ({}, "trainer.save_model('out')", f'without "{KEY}" in the configuration, {SAVES}'),
        ({KEY: False}, "trainer.save_model('out')", f'with "{KEY}": false, {SAVES}'),
        ({OLD: False}, "trainer.save_model('out')", f'with "{OLD}": false, {SAVES}'),
        ({}, "", f'without "{KEY}" in the configuration, checkpoints hold DeepSpeed\'s shards alone.'),
    ],
)
def test_the_sentence(zero, call, said):
    files = {
        "train.py": TRAIN + call,
        "ds.json": json.dumps({"zero_optimization": {"stage": 3, **zero}}),
        "run.sh": "deepspeed train.py --deepspeed ds.json --save_strategy steps\n",
    }
    (finding,) = check(text_tree(files), Settings(select=("MM110",))).findings
    start = "These runs save no weights that `from_pretrained` can load: under ZeRO-3, "
    assert finding.message.partition(" This depends on ")[0] == start + said
