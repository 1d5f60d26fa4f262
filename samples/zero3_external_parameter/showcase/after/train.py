"""Trains a model that names pictures."""

import torch
from transformers import HfArgumentParser, Trainer, TrainerCallback, TrainingArguments

import diary
from data import WIDTH, WORDS, Pictures
from model import Namer

WATCHED = ("eye.attention.out_proj.weight", "head.weight")


class NamingTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        return (outputs["loss"], outputs) if return_outputs else outputs["loss"]


class Diary(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    torch.manual_seed(0)
    model = Namer(WIDTH, WORDS)
    diary.weights("start", model, WATCHED)
    trainer = NamingTrainer(model=model, args=args, train_dataset=Pictures(256), callbacks=[Diary()])
    trainer.train()
    diary.weights("end", model, WATCHED)
    diary.note(done="trained through the engine")


if __name__ == "__main__":
    main()
    diary.close()
