"""Defaults of transformers.TrainingArguments that rules read when nothing sets the option."""

from __future__ import annotations

from mmcodemod.model.option import MISSING, Option, Scalar

NOTE = "TrainingArguments default"

_DEFAULTS: dict[str, Scalar] = {
    "adam_beta1": 0.9,
    "adam_beta2": 0.999,
    "adam_epsilon": 1e-8,
    "auto_find_batch_size": False,
    "bf16": False,
    "bf16_full_eval": False,
    "dataloader_drop_last": False,
    "dataloader_num_workers": 0,
    "ddp_find_unused_parameters": None,
    "ddp_timeout": 1800,
    "fp16": False,
    "fp16_backend": "auto",
    "fp16_full_eval": False,
    "gradient_accumulation_steps": 1,
    "gradient_checkpointing": False,
    "group_by_length": False,
    "half_precision_backend": "auto",
    "learning_rate": 5e-5,
    "load_best_model_at_end": False,
    "max_grad_norm": 1.0,
    "max_steps": -1,
    "num_train_epochs": 3.0,
    "per_device_eval_batch_size": 8,
    "per_device_train_batch_size": 8,
    "remove_unused_columns": True,
    "save_only_model": False,
    "tf32": None,
    "warmup_ratio": 0.0,
    "warmup_steps": 0,
    "weight_decay": 0.0,
}


def training_default(name: str) -> Option:
    """The default of a TrainingArguments field, MISSING when it is not recorded here."""
    return Option(_DEFAULTS[name], None, NOTE) if name in _DEFAULTS else Option(MISSING)
