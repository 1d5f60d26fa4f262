"""Finetunes the eye and the bridge, and adapters in the language model when they are asked for."""

import logging
import os
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Optional

import torch
import torch.distributed as dist
import transformers
from accelerate.utils import DistributedType
from peft import LoraConfig, get_peft_model
from transformers import AutoModel
from transformers.integrations import deepspeed

import diary
from dataset import Questions, collate
from trainer import AnswerTrainer, Progress

WATCHED = ("eye.patches.weight", "bridge.place")


@dataclass
class ModelArguments:
    model_path: Optional[str] = field(default="tiny/weights")


@dataclass
class TrainingArguments(transformers.TrainingArguments):
    optim: str = field(default="adamw_torch")
    max_length: int = field(default=16, metadata={"help": "Longer rows are cut."})
    rows: int = field(default=512)
    train_eye: Optional[bool] = field(default=True)
    train_llm: Optional[bool] = field(default=True)
    use_lora: Optional[bool] = field(default=False)


@dataclass
class LoraArguments:
    lora_rank: int = 8
    lora_alpha: int = 16
    lora_modules: str = r".*layers\.\d+\.self_attn\.(q_proj|k_proj|v_proj)"


def meet():
    """The group of the ranks. Where a disk is slow, they must be able to wait longer for each other."""
    seconds = int(os.environ.get("GLANCE_PATIENCE", 1800))
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend, timeout=timedelta(seconds=seconds))


def count(model):
    """How many parameters there are, and how many of them train."""
    total, trained = 0, 0
    for parameter in model.parameters():
        size = parameter.numel()
        if size == 0 and hasattr(parameter, "ds_numel"):
            size = parameter.ds_numel  # under ZeRO-3 the parameter itself is empty between its uses
        total += size
        trained += size if parameter.requires_grad else 0
    return {"total": total, "trained": trained}


def freeze(model, args):
    if not args.train_eye:
        model.eye.requires_grad_(False)
    if not args.train_llm:
        model.llm.requires_grad_(False)


def with_adapters(model, args, lora_args):
    if args.train_llm:
        raise ValueError("Adapters and a language model that trains exclude each other.")
    config = LoraConfig(
        r=lora_args.lora_rank, lora_alpha=lora_args.lora_alpha, target_modules=lora_args.lora_modules
    )
    model = get_peft_model(model, config)
    for part in (model.eye, model.bridge):
        part.requires_grad_(True)
    if args.gradient_checkpointing:
        model.enable_input_require_grads()
    return model


def keep(trainer, folder):
    """Write what was trained to the disk."""
    trainer.save_model(folder)


def train():
    meet()
    parser = transformers.HfArgumentParser((ModelArguments, TrainingArguments, LoraArguments))
    model_args, args, lora_args = parser.parse_args_into_dataclasses()
    if getattr(args, "deepspeed", None):
        args.distributed_state.distributed_type = DistributedType.DEEPSPEED
    if args.use_lora and deepspeed.is_deepspeed_zero3_enabled():
        logging.warning("Adapters are tested with ZeRO-2 only.")

    torch.manual_seed(0)
    model = AutoModel.from_pretrained(model_args.model_path, trust_remote_code=True)
    freeze(model, args)
    if args.use_lora:
        model = with_adapters(model, args, lora_args)
    print(count(model))

    args.gradient_checkpointing_kwargs = {"use_reentrant": True}
    trainer = AnswerTrainer(
        model=model,
        args=args,
        train_dataset=Questions(args.rows, args.max_length),
        data_collator=partial(collate, max_length=args.max_length),
        callbacks=[Progress()],
    )
    plain = model.get_base_model() if args.use_lora else model
    diary.weights("start", plain, WATCHED)
    trainer.train()
    trainer.save_state()
    diary.weights("end", plain, WATCHED)
    keep(trainer, args.output_dir)
    diary.note(done="trained, and written to the disk")


if __name__ == "__main__":
    train()
    diary.close()
