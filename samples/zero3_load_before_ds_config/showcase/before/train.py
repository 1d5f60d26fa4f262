"""Trains a small language model to count, and says how much of it each rank holds once it is loaded."""

import torch
from torch.utils.data import Dataset
from transformers import (
    AutoModelForCausalLM,
    HfArgumentParser,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

import diary

WORDS = 32
WATCHED = ("model.embed_tokens.weight", "lm_head.weight")


class Counting(Dataset):
    """Rows of words that count upwards."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        tokens = (torch.arange(16) + index) % WORDS
        return {"input_ids": tokens, "labels": tokens}


class Diary(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def share(model):
    """The parameters of this rank, and those of the model."""
    held = [p.ds_tensor if hasattr(p, "ds_tensor") else p for p in model.parameters()]
    whole = [getattr(p, "ds_numel", p.numel()) for p in model.parameters()]
    return sum(p.numel() for p in held), sum(whole)


def main():
    model = AutoModelForCausalLM.from_pretrained("weights")
    parser = HfArgumentParser(TrainingArguments)
    (args,) = parser.parse_args_into_dataclasses()
    print("each rank holds %d of %d parameters" % share(model))

    diary.weights("start", model, WATCHED)
    trainer = Trainer(model=model, args=args, train_dataset=Counting(512), callbacks=[Diary()])
    trainer.train()
    diary.weights("end", model, WATCHED)
    diary.note(done="trained to count")


if __name__ == "__main__":
    main()
    diary.close()
