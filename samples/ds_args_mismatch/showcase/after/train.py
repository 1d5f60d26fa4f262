"""Trains a tiny model on pictures and questions with the Trainer."""

import torch
from transformers import HfArgumentParser, Trainer, TrainerCallback, TrainingArguments

import diary
from data import Shades
from model import Answerer

WATCHED = ("eye.weight", "words.weight", "head.weight")


class Told(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    torch.manual_seed(0)
    model = Answerer()
    trainer = Trainer(model=model, args=args, train_dataset=Shades(512), callbacks=[Told()])
    diary.weights("start", model, WATCHED)
    trainer.train()
    diary.weights("end", model, WATCHED)
    diary.note(done="trained to answer")


if __name__ == "__main__":
    main()
    diary.close()
