"""The arguments of a run, of one YAML file or of the command line."""

import os
import sys
from dataclasses import dataclass, field
from typing import Optional

from transformers import HfArgumentParser, TrainingArguments


@dataclass
class ModelArguments:
    model_name_or_path: str


@dataclass
class DataArguments:
    dataset: str
    template: Optional[str] = None
    cutoff_len: int = 2048


@dataclass
class FinetuningArguments:
    stage: str = "sft"
    finetuning_type: str = "full"
    freeze_vision_tower: bool = field(default=True, metadata={"help": "Whether the tower stays as it is."})
    freeze_projector: bool = False


def get_train_args():
    parser = HfArgumentParser((ModelArguments, DataArguments, FinetuningArguments, TrainingArguments))
    if len(sys.argv) == 2 and sys.argv[1].endswith((".yaml", ".yml")):
        return parser.parse_yaml_file(os.path.abspath(sys.argv[1]))
    return parser.parse_args_into_dataclasses()
