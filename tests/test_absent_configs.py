"""What is found in a launch whose DeepSpeed configuration is not in the tree."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import torch.distributed as dist
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

if __name__ == "__main__":
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained("org/base", device_map="auto")
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=args).train()
"""
FILES = {"train.py": TRAIN, "requirements.txt": "transformers==4.57.6\n"}
ZERO3 = '{"zero_optimization": {"stage": 3}, "gradient_clipping": "auto"}\n'


def found(files, *runs):
    """Rule, severity, runs and the end of the message of each finding."""
    report = check(text_tree({**FILES, **files, "run.sh": "\n".join(runs) + "\n"}), Settings(preview=True))
    return {f.rule: (f.severity.value, f.contexts, f.message) for f in report.findings}


def test_what_the_stage_decides_is_a_note_and_the_rest_is_as_loud_as_before():
    named = found({}, "deepspeed train.py --deepspeed ds/zero3.json")
    assert [(rule, severity) for rule, (severity, *_) in sorted(named.items())] == [
        ("MM104", "info"),
        ("MM401", "error"),
    ]
    assert "the DeepSpeed configuration ds/zero3.json is not in the tree" in named["MM104"][2]


@pytest.mark.parametrize("name", ["ds/zero2.json", "ds/zero0.json"])
def test_another_stage_in_the_name_is_as_silent_as_before(name):
    assert "MM104" not in found({}, f"deepspeed train.py --deepspeed {name}")


def test_a_launch_whose_file_is_there_is_the_louder_one():
    both = found(
        {"zero3.json": ZERO3},
        "deepspeed train.py --deepspeed ds/zero3_offload.json",
        "deepspeed train.py --deepspeed zero3.json",
    )
    assert both["MM104"][:2] == ("error", ("run.sh:2",))
    assert "not in the tree" not in both["MM104"][2]
