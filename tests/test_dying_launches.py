"""What rules on configurations and launches say when the launches die before they train."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments
{imports}

if __name__ == "__main__":
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    Trainer(model=AutoModelForCausalLM.from_pretrained("org/base"), args=args).train()
"""
GONE = "from parts.gone import Text"
OWN = "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n"
PINS = "accelerate==0.26.1\ndeepspeed==0.14.0\ntransformers==4.40.0\n"
BY_ACCELERATE = "accelerate launch --config_file own.yaml {}"
BY_TORCH = "torchrun --nproc_per_node 8 {} --deepspeed ds.json --gradient_accumulation_steps 4"
BY_DEEPSPEED = "CUDA_VISIBLE_DEVICES=2,3 deepspeed {} {{}} --deepspeed ds.json --output_dir out"
DS = """\
{
  "gradient_accumulation_steps": 2,
  "gradient_clipping": 1.0,
  "zero_optimization": {"stage": 2}
}
"""


def found(rule, launches, imports=GONE):
    """Severity, message and launches of the only finding of a rule. `launches`: of train.py, which imports
    what `imports` says, and of whole.py, which does not."""
    files = {"train.py": TRAIN.format(imports=imports), "whole.py": TRAIN.format(imports="")}
    more = {"parts/__init__.py": "", "own.yaml": OWN, "ds.json": DS, "requirements.txt": PINS}
    scripts = {f"run{n}.sh": f"{line}\n" for n, line in enumerate(launches)}
    report = check(text_tree({**files, **more, **scripts}), Settings(preview=True))
    (one,) = [f for f in report.findings if f.rule == rule]
    return one.severity.value, one.message, one.contexts


RULES = [
    ("MM303", BY_ACCELERATE, "warning"),
    ("MM502", BY_TORCH, "error"),
    ("MM509", BY_DEEPSPEED.format("--num_gpus 2"), "warning"),
]


@pytest.mark.parametrize(("rule", "launch", "loud"), RULES)
def test_it_is_a_note_where_every_launch_dies(rule, launch, loud):
    severity, message, _ = found(rule, [launch.format("train.py")])
    assert severity == "info"
    assert message.endswith("whether `parts.gone`, which train.py:2 imports, is anywhere: the tree has none.")
    assert found(rule, [launch.format("train.py")], imports="import parts")[0] == loud


@pytest.mark.parametrize(("rule", "launch", "loud"), RULES[:2])
def test_it_stays_and_speaks_of_the_launches_that_live(rule, launch, loud):
    severity, message, launches = found(rule, [launch.format("train.py"), launch.format("whole.py")])
    assert severity == loud
    assert "parts.gone" not in message
    assert [one.partition(":")[0] for one in launches] == ["run1.sh"]


def test_the_message_says_what_is_wrong_with_the_run_as_if_it_lived():
    dying, living = (found("MM502", [BY_TORCH.format("train.py")], text)[1] for text in (GONE, ""))
    assert dying.startswith(living)


def test_a_launcher_that_stops_before_the_program_runs_is_no_note():
    launch = BY_DEEPSPEED.format("--num_nodes 1").format("train.py")
    assert found("MM509", [launch])[0] == "warning"


TWICE = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int)
args = parser.parse_args()
model = torch.nn.Linear(2, 2)
model(torch.rand(2)).sum().backward()
"""


def test_launches_that_die_at_one_line_of_different_things_are_one_finding():
    run = "torchrun train.py --warmup 1\ntorchrun train.py --decay 2\ntorchrun train.py --epochs 3\n"
    report = check(text_tree({"train.py": TWICE, "run.sh": run}), Settings(select=("MM515",), preview=True))
    (found,) = report.findings
    assert found.contexts == ("run.sh:1", "run.sh:2")
    assert found.message.endswith(
        "does not know `--warmup`; for another launch, the parser there does not know `--decay`."
    )


def test_code_that_is_nested_too_deep_for_a_question_crashes_no_rule():
    sides = "".join(f"    elif args.kind == '{n}':\n        pass\n" for n in range(900))
    start = "import argparse\nimport torch\n\ndef main():\n    parser = argparse.ArgumentParser()\n"
    parser = (
        "    parser.add_argument('--kind')\n    args = parser.parse_args()\n    if args.kind:\n        pass\n"
    )
    trains = "    print(args.gone)\n    torch.rand(2).sum().backward()\n\nmain()\n"
    files = {"train.py": start + parser + sides + trains, "run.sh": "torchrun train.py --kind a\n"}
    report = check(text_tree(files), Settings(select=("MM515",), preview=True))
    assert not [p for p in report.problems if p.kind == "rule"]


def test_a_page_of_another_project_speaks_of_its_own_program():
    """A folder with code and a page of its own names a program that it no longer has."""
    files = {"train.py": TRAIN.format(imports=GONE), "parts/__init__.py": "", "ds.json": DS}
    launch = f"```bash\n{BY_TORCH.format('train.py')}\n```\n"
    other = {"helper/docs/speed.md": launch, "helper/README.md": "# Helper\n"}

    def rules(more):
        report = check(text_tree({**files, **other, **more}), Settings(preview=True))
        return {f.rule for f in report.findings}

    assert "MM515" not in rules({"helper/losses.py": "x = 1\n"})
    assert "MM515" in rules({})
