"""Trains a model that tells the shades of pictures, and says which learning rates the optimizer used."""

import torch
from transformers import HfArgumentParser, Trainer, TrainerCallback, TrainingArguments

import diary
from data import Pictures
from model import Seer

WATCHED = ("patches.weight", "head.weight")


class Rates(TrainerCallback):
    """What the optimizer has as its learning rate when a step begins."""

    def __init__(self):
        self.used = []

    def on_step_begin(self, args, state, control, optimizer=None, **kwargs):
        self.used.append(optimizer.param_groups[0]["lr"])

    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    torch.manual_seed(0)
    model, rates = Seer(), Rates()
    trainer = Trainer(model=model, args=args, train_dataset=Pictures(640), callbacks=[rates])
    diary.weights("start", model, WATCHED)
    trainer.train()
    diary.weights("end", model, WATCHED)
    course = " ".join(f"{rate:.4f}" for rate in rates.used[4::5])
    print(f"asked for {args.lr_scheduler_type.value}, every fifth step used {course}")
    diary.note(done="trained along a schedule")


if __name__ == "__main__":
    main()
    diary.close()
