"""What is found in a launch that gives its launcher `python` where that wants the program."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import torch
import torch.distributed as dist
from transformers import AutoModelForCausalLM


if __name__ == "__main__":
    dist.init_process_group("nccl")
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in list("rows"):
        model(**batch).loss.backward()
        optimizer.step()
"""


def found(command):
    """Severity and message where nothing clips."""
    report = check(text_tree({"src/train.py": TRAIN, "run.sh": f"{command}\n"}), Settings())
    (one,) = [f for f in report.findings if f.rule == "MM301"]
    return one.severity.value, one.message


@pytest.mark.parametrize(
    "command",
    [
        "torchrun --standalone --nproc_per_node=4 python3 src/train.py",
        "torchrun --nproc_per_node 4 python -u src/train.py",
        "python -m torch.distributed.run --nproc_per_node 4 python src/train.py",
        "accelerate launch --multi_gpu python src/train.py",
        "deepspeed python src/train.py",
    ],
)
def test_such_a_run_is_a_note(command):
    severity, message = found(command)
    assert severity == "info"
    assert "whether the run gets past run.sh:1: `python" in message
    assert "stands where the launcher wants the program" in message


@pytest.mark.parametrize(
    "command",
    [
        "torchrun --standalone --nproc_per_node=4 src/train.py",
        "torchrun --nproc_per_node 4 --no_python python -u src/train.py",
        "torchrun --nproc_per_node 4 --no-python python src/train.py",
        "torchrun --nproc_per_node 4 --rdzv_id python src/train.py",
        "python3 -m torch.distributed.run --nproc_per_node 4 src/train.py",
        "srun python -m torch.distributed.launch --nproc_per_node 4 src/train.py python",
        "RANK=`hostname | python3 pick.py one`\naccelerate launch --machine_rank $RANK src/train.py",
        "torchrun --nproc_per_node $(nvidia-smi -L | python3 rows.py --all) src/train.py",
        'export START="python -m torch.distributed.run --nproc_per_node 4 "\n$START src/train.py',
        "torchrun $(cat options.txt) python src/train.py",
    ],
)
def test_others_are_loud(command):
    assert found(command)[0] == "warning"


@pytest.mark.parametrize(
    "command",
    [
        'export START="torchrun --nproc_per_node 4 "\n$START python src/train.py',
        "RANK=`hostname | wc -l`\naccelerate launch --machine_rank $RANK python src/train.py",
    ],
)
def test_what_a_variable_holds_is_read_as_its_words(command):
    assert "stands where the launcher wants the program" in found(command)[1]
