"""Tunes the projector and the language model on instructions."""

from dataclasses import dataclass, field
from typing import Optional

import transformers

import diary
from sightchat.data import make_data
from sightchat.model.language import SightForCausalLM
from sightchat.trainer import SightTrainer

WATCHED = ("model.projector.0.weight", "model.projector.2.weight", "lm_head.weight")


@dataclass
class ModelArguments:
    model_name_or_path: str = field(default="weights/language")
    vision_tower: Optional[str] = field(default=None)
    projector_type: str = field(default="linear")


@dataclass
class DataArguments:
    data_path: str = field(default="weights/rows.json")
    pad_max: bool = field(default=False, metadata={"help": "rows of one length"})
    is_multimodal: bool = False


@dataclass
class TrainingArguments(transformers.TrainingArguments):
    remove_unused_columns: bool = field(default=False)
    group_by_modality_length: bool = field(default=False)


class Diary(transformers.TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def train():
    parser = transformers.HfArgumentParser((ModelArguments, DataArguments, TrainingArguments))
    model_args, data_args, training_args = parser.parse_args_into_dataclasses()

    transformers.set_seed(training_args.seed)
    model = SightForCausalLM.from_pretrained(model_args.model_name_or_path)
    model.config.use_cache = False
    if model_args.vision_tower is not None:
        model.get_model().open_eyes(model_args, fsdp=training_args.fsdp)
        data_args.is_multimodal = True

    data = make_data(data_args)
    diary.weights("start", model, WATCHED)
    trainer = SightTrainer(model=model, args=training_args, callbacks=[Diary()], **data)
    trainer.train()
    diary.weights("end", model, WATCHED)
    diary.note(done="tuned on pictures and words")


if __name__ == "__main__":
    train()
    diary.close()
