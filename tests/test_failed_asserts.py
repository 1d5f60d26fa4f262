"""What is found in a launch that makes an `assert` of its program fail."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
from dataclasses import dataclass, field

import torch.distributed as dist
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments


@dataclass
class Args(TrainingArguments):
    lora: bool = field(default=False)
    freeze: bool = field(default=False)
    tower: str = field(default="none")


def check_sizes(args):
    assert args.tower


def main():
    (args,) = HfArgumentParser(Args).parse_args_into_dataclasses()
    {body}
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=args).train()
    {after}


if __name__ == "__main__":
    main()
"""
BOTH = "assert not (args.lora and args.freeze), 'choose one'"


def barrier(flags, body, after=""):
    """The severity and message of the barrier on one rank."""
    launch = f"torchrun --nproc_per_node 8 train.py --output_dir out {flags}\n"
    files = {"train.py": TRAIN.format(body=body, after=after), "run.sh": launch}
    report = check(text_tree({**files, "requirements.txt": "transformers==4.57.6\n"}), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


@pytest.mark.parametrize(
    ("flags", "body"),
    [
        ("--lora True --freeze True", BOTH),
        ("--lora", "assert args.freeze or not args.lora"),
        ("--lora True", "if args.lora:\n        assert args.freeze"),
        ("--tower clip", "assert args.tower == 'none'"),
    ],
)
def test_such_a_run_is_a_note(flags, body):
    severity, message = barrier(flags, body)
    assert severity == "info"
    assert "the launch makes `" in message and "` false" in message


@pytest.mark.parametrize(
    ("flags", "body", "after"),
    [
        ("--lora True", BOTH, ""),
        ("", BOTH, ""),
        ("--lora True --freeze $FREEZE", BOTH, ""),
        ("--lora True --freeze True $@", "assert args.tower", ""),
        ("--lora True --freeze True", f"try:\n        {BOTH}\n    except AssertionError:\n        pass", ""),
        ("--lora True --freeze True", f"if args.tower != 'none':\n        {BOTH}", ""),
        ("--lora True --freeze True", f"if known():\n        {BOTH}", ""),
        ("--lora True --freeze True", "args.freeze = False\n    " + BOTH, ""),
        ("--lora True --freeze True", "pass", BOTH),
        ("--lora True --freeze True", "assert known(args)", ""),
    ],
)
def test_others_may_run(flags, body, after):
    assert barrier(flags, body, after)[0] == "error"


@pytest.mark.parametrize("imports", ["from fastkernels import fused", "import fastkernels as fused"])
def test_what_a_library_may_bind_is_open(imports):
    binds = f"try:\n    {imports}\nexcept ImportError:\n    fused = None"
    train = TRAIN.format(body="assert fused is not None", after="").replace("\n\n\n@", f"\n{binds}\n\n\n@", 1)
    run = "torchrun --nproc_per_node 8 train.py --output_dir out\n"
    files = {"train.py": train, "run.sh": run, "requirements.txt": "transformers==4.57.6\n"}
    (found,) = [f for f in check(text_tree(files), Settings(preview=True)).findings if f.rule == "MM401"]
    assert found.severity.value == "error"
