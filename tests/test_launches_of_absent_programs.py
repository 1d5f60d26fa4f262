"""A tree whose launches start only programs that it lacks: what nobody names in it stands aside."""

import pytest

from mmcodemod.model.finding import Severity
from mmcodemod.pipeline import check
from mmcodemod.source.tree import text_tree

TRAIN = """
import torch, torch.distributed as dist
from transformers import AutoModel

def main():
    dist.init_process_group("nccl")
    model = torch.nn.parallel.DistributedDataParallel(AutoModel.from_pretrained("gpt2"))
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in torch.load("d.pt"):
        model(**batch).loss.backward()
        optimizer.step()

if __name__ == "__main__":
    main()
"""
LAUNCH = "torchrun --nproc_per_node 8 {} --lr 1\n"


def severity(files: dict[str, str]) -> Severity:
    (found,) = [f for f in check(text_tree({"train.py": TRAIN, **files})).findings if f.rule == "MM301"]
    return found.severity


def page(command: str) -> str:
    return f"```\n{command}```\n"


@pytest.mark.parametrize(
    "files",
    [
        {"run.sh": LAUNCH.format("other/finetune.py")},
        {"run.sh": "deepspeed --num_gpus 8 other/finetune.py --lr 1\n"},
        {"run.sh": "accelerate launch --num_processes 8 other/finetune.py --lr 1\n"},
        {"README.md": page(LAUNCH.format("other/finetune.py"))},
        {"run.sh": LAUNCH.format("-m other.finetune")},
    ],
)
def test_a_program_that_nobody_names_is_a_note(files: dict[str, str]) -> None:
    assert severity(files) is Severity.INFO


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"run.sh": LAUNCH.format("$PROGRAM")},
        {"run.sh": LAUNCH.format("your_script.py")},
        {"run.sh": LAUNCH.format("/home/somebody/finetune.py")},
        {"run.sh": "python other/finetune.py --lr 1\n"},
        {"README.md": page(LAUNCH.format("other/finetune.py")) + "\nThen train with `train.py`.\n"},
    ],
)
def test_a_program_stays_loud(files: dict[str, str]) -> None:
    assert severity(files) is Severity.WARNING
