"""What is found in a launch whose DeepSpeed configuration and program are named from different folders."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import torch.distributed as dist
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=args).train()


if __name__ == "__main__":
    main()
"""
STAGE = '{"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"}}'
LAUNCH = "deepspeed heron/train/train.py \\\n  --deepspeed ./scripts/zero2.json \\\n  --output_dir out\n"


def barrier(files):
    """The severity and message of the barrier on one rank."""
    pins = {"requirements.txt": "transformers==4.57.6\n"}
    report = check(text_tree({**pins, **files}), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


def test_so_is_one_that_starts_at_the_top():
    files = {"heron/train/train.py": TRAIN, "heron/scripts/zero2.json": STAGE, "run.sh": LAUNCH}
    severity, message = barrier(files)
    assert severity == "info"
    assert "the path of the program holds from the top of the tree" in message


def test_such_a_run_is_a_note():
    files = {
        "code/heron/train/train.py": TRAIN,
        "code/heron/scripts/zero2.json": STAGE,
        "code/run.sh": LAUNCH,
    }
    severity, message = barrier(files)
    assert severity == "info"
    assert "whether ./scripts/zero2.json, which the launch names, is there: code/heron/scripts" in message


@pytest.mark.parametrize(
    "files",
    [
        {"code/heron/train/train.py": TRAIN, "code/scripts/zero2.json": STAGE, "code/run.sh": LAUNCH},
        {"heron/train/train.py": TRAIN, "scripts/zero2.json": STAGE, "code/run.sh": LAUNCH},
        {"heron/train/train.py": TRAIN, "run.sh": LAUNCH},
        {
            "heron/train/train.py": TRAIN,
            "heron/scripts/zero2.json": STAGE,
            "README.md": "Write your own: `cp heron/scripts/zero2.json scripts/zero2.json`",
            "run.sh": LAUNCH,
        },
        {
            "heron/train/train.py": TRAIN,
            "heron/scripts/zero2.json": STAGE,
            "other/scripts/zero2.json": STAGE,
            "run.sh": LAUNCH,
        },
    ],
)
def test_others_may_run(files):
    assert barrier(files)[0] == "error"
