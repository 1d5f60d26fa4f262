"""Classes that a registry hands out by a name: where nothing says the name, what they do is a note."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import sys
import torch
import torch.distributed as dist
import yaml
from tasks import TASKS
from transformers import AutoModel

if __name__ == "__main__":
    config = yaml.safe_load(open(sys.argv[1]))
    dist.init_process_group("nccl")
    model = torch.nn.parallel.DistributedDataParallel(AutoModel.from_pretrained("gpt2"))
    task = TASKS[config["task"]]()
    task.run(model, torch.utils.data.DataLoader(torch.load("data.pt")))
"""
TASKS = """\
import torch

TASKS = {{}}


def register_task(name):
    def wrap(cls):
        TASKS[name] = cls
        return cls

    return wrap


{decorator}
class {name}:
    def run(self, model, loader):
        optimizer = torch.optim.AdamW(model.parameters())
        for batch in loader:
            model(**batch).loss.backward()
            {clip}
            optimizer.step()
"""
CLIP = "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"
TAGGING = '@register_task("tagging")'


def severity(config="task: ranking", decorator=TAGGING, more="", files=(), run="run.yaml"):
    tasks = TASKS.format(name="Tagging", clip="pass", decorator=decorator)
    other = TASKS.partition("{decorator}")[2].format(name="Ranking", clip=CLIP)
    tasks += f'\n\n@register_task("ranking"){other}{more}'
    launch = f"torchrun --nproc_per_node 8 train.py {run}\n"
    texts = {"train.py": TRAIN, "tasks.py": tasks, "run.yaml": config, "run.sh": launch, **dict(files)}
    report = check(text_tree(texts), Settings())
    return [f.severity.value for f in report.findings if f.rule == "MM301"]


def test_what_nothing_asks_for_is_a_note():
    assert severity() == ["info"]


@pytest.mark.parametrize(
    "parts",
    [
        {"config": "task: tagging"},
        {"config": "task: ranking  # or tagging"},
        {"files": {"other.yaml": "task: tagging"}},
        {"files": {"README.md": "Set the task to `tagging` in run.yaml."}},
        {"files": {"options.py": 'CHOICES = ("ranking", "tagging")\n'}},
        {"files": {"options.py": "CHOICES = 'ranking,tagging'\n"}},
        {"decorator": "@register_task(NAME)"},
        {"more": "\n\nclass Deep(Tagging):\n    pass\n"},
    ],
)
def test_it_is_loud_where_something_may_ask_for_it(parts):
    assert severity(**parts) == ["warning"]


def test_a_longer_word_is_another_name():
    assert severity(files={"README.md": "See tagging_v2 and pre-tagging."}) == ["info"]


OTHER = {"other.yaml": "task: tagging"}


def test_so_is_what_the_configuration_of_the_launch_does_not_ask_for():
    assert severity(files=OTHER, run="--config run.yaml") == ["info"]


@pytest.mark.parametrize(
    "parts",
    [
        {"run": "--config other.yaml"},
        {"run": "--config run.yaml --task tagging"},
        {"run": "--config run.yaml", "config": "task: sorting"},
        {"run": "--config /data/run.yaml"},
    ],
)
def test_what_the_launch_may_ask_for_is_loud(parts):
    assert severity(files=OTHER, **parts) == ["warning"]
