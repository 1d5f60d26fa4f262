"""What is found in a launch whose model does not take a key of the batches that the Trainer gives it."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import torch
import torch.distributed as dist
from dataclasses import dataclass, field
from typing import Optional
from torch.utils.data import Dataset
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments
from peft import get_peft_model
from models import Loose, Tight, Wide
import helpers

@dataclass
class ModelArguments:
    tower: Optional[str] = None
    kind: str = "tight"
    lora: bool = False
    pictured: bool = False

@dataclass
class Arguments(TrainingArguments):
    cache_dir: Optional[str] = None
    remove_unused_columns: bool = field(default=False)

class Samples(Dataset):
    def __init__(self, model_args):
        self.model_args = model_args

    def __getitem__(self, index):
        sample = dict(input_ids=torch.zeros(8))
        {sample}
        return sample

class Collator:
    def __call__(self, samples):
        batch = {made}
        {batch}
        return batch

class OwnTrainer(Trainer):
    def {overrides}(self, *args, **kwargs):
        return None

def data_module(model_args):
    return dict(train_dataset=Samples(model_args), data_collator=Collator())

def train():
    model_args, args = HfArgumentParser((ModelArguments, Arguments)).parse_args_into_dataclasses()
    {model}
    if dist.get_rank() == 0:
        dist.barrier()
    if model_args.tower is not None:
        model_args.pictured = True
    trainer = OwnTrainer(model=model, args=args, {data})
    trainer.train()

if __name__ == "__main__":
    train()
"""
MODELS = """\
from transformers import LlamaForCausalLM

class Tight(LlamaForCausalLM):
    def forward(self, input_ids=None, labels=None, feature=None):
        return super().forward(input_ids=input_ids, labels=labels)

class Wide(LlamaForCausalLM):
    def forward(self, input_ids=None, labels=None, images=None):
        return super().forward(input_ids=input_ids, labels=labels)

class Loose(LlamaForCausalLM):
    def forward(self, input_ids=None, **others):
        return super().forward(input_ids=input_ids)
"""
ALWAYS = "dict(input_ids=torch.stack(samples), images=1)"
ASKED = {
    "made": "{'input_ids': 1}",
    "batch": "if 'image' in samples[0]:\n    batch['images'] = 1",
    "sample": "if index:\n    sample['image'] = 1\nelif self.model_args.pictured:\n    sample['image'] = 0",
}
PARTS = {
    "made": ALWAYS,
    "batch": "",
    "sample": "",
    "overrides": "_save",
    "model": "model = Tight.from_pretrained('org/base')",
    "data": "**data_module(model_args)",
}


def barrier(flags="", files=(), **parts):
    """Severity and message of MM401 where the main rank alone waits."""
    filled = {k: "\n".join(_deeper(k, v)) for k, v in {**PARTS, **parts}.items()}
    tree = {
        "train.py": TRAIN.format(**filled),
        "models.py": MODELS,
        "helpers.py": "",
        "run.sh": f"torchrun --nproc_per_node 8 train.py {flags}\n",
        "requirements.txt": "transformers==4.57.6\n",
    }
    report = check(text_tree({**tree, **dict(files)}), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


def _deeper(part, text):
    indent = " " * (8 if part in ("batch", "sample") else 4)
    first, *rest = text.splitlines() or [""]
    return [first, *(f"{indent}{line}" for line in rest)]


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"data": "data_collator=Collator()"},
        {"data": "train_dataset=1, **data", "model": "data = data_module(args)\nmodel = Tight({})"},
        {"made": "{}", "batch": "batch['images'] = 1"},
        {"made": "{}", "batch": "if args:\n    batch['images'] = 1\nelse:\n    batch['images'] = None"},
        {"model": "model = Tight({})\nif model_args.lora:\n    model = get_peft_model(model, 1)"},
    ],
)
def test_a_model_that_does_not_take_a_key_is_a_note(parts):
    severity, message = barrier(**parts)
    assert severity == "info"
    assert "whether the model takes `images`, which train.py:" in message
    assert "puts into the batch: `forward` at models.py:4 does not" in message


def test_the_samples_may_bring_it():
    severity, message = barrier("--tower org/eye --cache_dir out", **ASKED)
    assert severity == "info"
    assert "whether the model takes `images`" in message


def test_the_launch_may_choose_the_model():
    chosen = "if model_args.kind == 'wide':\n    model = Wide({})\nelse:\n    model = Tight({})"
    assert barrier("--kind tight", model=chosen)[0] == "info"
    assert barrier("--kind wide", model=chosen)[0] == "error"
    assert barrier("--kind $KIND", model=chosen)[0] == "error"


@pytest.mark.parametrize(
    "parts",
    [
        {"model": "model = Wide.from_pretrained('org/base')"},
        {"model": "model = Loose.from_pretrained('org/base')"},
        {"model": "model = AutoModelForCausalLM.from_pretrained('org/base')"},
        {"model": "model = helpers.build()"},
        {"model": "model = Tight({})\nmodel = helpers.wrapped(model)"},
        {"model": "model = Tight({})\nmodel.forward = print"},
        {"model": "model = Tight({})\nsetattr(model, 'forward', print)"},
        {"overrides": "compute_loss"},
        {"overrides": "_prepare_inputs"},
        {"overrides": "get_train_dataloader"},
        {"data": "data_collator=helpers.Collator()"},
        {"data": "data_collator=Collator() if args.tower else None"},
        {"batch": "batch.pop('images')"},
        {"batch": "del batch['images']"},
        {"batch": "helpers.prune(batch)"},
        {"batch": "batch = helpers.pruned(batch)"},
        {"made": "{}", "batch": "if len(samples) > 3:\n    batch['images'] = 1"},
        {"made": "{}", "batch": "for sample in samples:\n    batch['images'] = 1"},
        {"made": "dict(labels=1, input_ids=2, feature=3)"},
    ],
)
def test_what_may_be_taken_or_left_out_leaves_it_loud(parts):
    assert barrier(**parts)[0] == "error"


@pytest.mark.parametrize(
    ("flags", "parts"),
    [
        ("--cache_dir out", {}),  # without a tower, samples have no image
        ("--tower org/eye --cache_dir out --remove_unused_columns True", {}),  # then samples lose it
        ("--tower org/eye --cache_dir out", {"sample": "if index:\n    sample['image'] = 1"}),
        ("--tower org/eye --cache_dir out", {"batch": "if 'image' in samples[1]:\n    batch['images'] = 1"}),
        ("--tower org/eye --cache_dir out", {"model": f"{PARTS['model']}\nmodel_args.pictured = False"}),
    ],
)
def test_samples_that_may_not_bring_it_leave_it_loud(flags, parts):
    assert barrier(flags, **{**ASKED, **parts})[0] == "error"
