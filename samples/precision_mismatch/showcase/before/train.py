"""Trains a model that tells the shades of pictures."""

import torch
from transformers import HfArgumentParser, Trainer, TrainerCallback, TrainingArguments

import diary
from data import Pictures
from model import Seer

WATCHED = ("patches.weight", "head.weight")


class Diary(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    torch.manual_seed(0)
    model = Seer()
    trainer = Trainer(model=model, args=args, train_dataset=Pictures(640), callbacks=[Diary()])
    diary.weights("start", model, WATCHED)
    trainer.train()
    diary.weights("end", model, WATCHED)
    print(f"the weights were trained as {model.head.weight.dtype}")
    diary.note(done="trained in one precision")


if __name__ == "__main__":
    main()
    diary.close()
