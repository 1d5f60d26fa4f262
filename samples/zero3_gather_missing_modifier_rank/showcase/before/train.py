"""Trains the language model together with its tower."""

from dataclasses import dataclass, field

import deepspeed
import torch
from transformers import HfArgumentParser, Trainer, TrainerCallback, TrainingArguments

import diary
from data import Reports
from model import DoctorForCausalLM

WATCHED = ("tower.encoder.layernorm.weight", "tower.encoder.layernorm.bias")


@dataclass
class ModelArguments:
    weights: str = field(default="weights")


class Diary(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def compare(model, checkpoint):
    """How much of the checkpoint is in the encoder, which the loss alone does not tell."""
    held = 0
    for name, param in model.tower.encoder.named_parameters():
        with deepspeed.zero.GatheredParameters([param]):
            held += torch.equal(param.detach(), checkpoint[f"encoder.{name}"])
    count = len(list(model.tower.encoder.parameters()))
    print(f"the encoder holds {held} of {count} weights of its checkpoint")


def main():
    parser = HfArgumentParser((ModelArguments, TrainingArguments))
    model_args, training_args = parser.parse_args_into_dataclasses()
    model = DoctorForCausalLM.from_pretrained(f"{model_args.weights}/language")
    model.see(model_args.weights)

    checkpoint = torch.load(f"{model_args.weights}/tower.pt", map_location="cpu")
    for name in WATCHED:
        diary.print_of("checkpoint", name, checkpoint[name.removeprefix("tower.")])
    diary.weights("start", model, WATCHED)
    compare(model, checkpoint)
    trainer = Trainer(model=model, args=training_args, train_dataset=Reports(256), callbacks=[Diary()])
    trainer.train()
    diary.weights("end", model, WATCHED)
    diary.note(done="trained with the tower's weights")


if __name__ == "__main__":
    main()
    diary.close()
