"""Trains the projector on reports, or projector and language model on dialogues."""

from dataclasses import dataclass, field
from typing import Optional

import torch
import transformers

import diary
from radchat.data import Collator, LazyDialogues
from radchat.model.language import RadForCausalLM

TOWER = "model.vision_tower.encoder."
LOADED = (
    "model.vision_tower.encoder.model.layernorm.weight",
    "model.vision_tower.encoder.norm.running_mean",
    "model.vision_tower.encoder.head.weight",
)
MOVED = ("model.projector.0.weight", "model.projector.2.weight")


@dataclass
class ModelArguments:
    model_name_or_path: str = field(default="weights/language")
    vision_tower: Optional[str] = field(default=None)
    pretrained_projector: Optional[str] = field(default=None)
    tune_projector_only: bool = field(default=False)


@dataclass
class DataArguments:
    data_path: str = field(default=None)
    is_multimodal: bool = False


@dataclass
class TrainingArguments(transformers.TrainingArguments):
    remove_unused_columns: bool = field(default=False)


class Diary(transformers.TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def tell_start(model, tower):
    checkpoint = torch.load(f"{tower}/clinic.bin", map_location="cpu")
    for name in LOADED:
        diary.print_of("checkpoint", name, checkpoint[name.removeprefix(TOWER)])
    diary.weights("start", model, [*MOVED, *LOADED])


def train():
    parser = transformers.HfArgumentParser((ModelArguments, DataArguments, TrainingArguments))
    model_args, data_args, training_args = parser.parse_args_into_dataclasses()
    transformers.set_seed(training_args.seed)

    model = RadForCausalLM.from_pretrained(model_args.model_name_or_path)
    model.config.use_cache = False
    if model_args.tune_projector_only:
        model.requires_grad_(False)
    if model_args.vision_tower is not None:
        model.get_model().add_sight(model_args, fsdp=training_args.fsdp)
        data_args.is_multimodal = True

    tell_start(model, model_args.vision_tower)
    data = {"train_dataset": LazyDialogues(data_args), "data_collator": Collator()}
    trainer = transformers.Trainer(model=model, args=training_args, callbacks=[Diary()], **data)
    trainer.train()
    diary.weights("end", model, MOVED)
    diary.note(done="trained behind the clinic's tower")


if __name__ == "__main__":
    train()
    diary.close()
