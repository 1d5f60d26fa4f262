"""Trains a model that tells the shade of a picture when it has been told of it."""

import torch
from torch import nn
from transformers import HfArgumentParser, Trainer, TrainingArguments

import diary
from data import Conversations, collate
from model import Speaker

WATCHED = ("words.weight", "memory.weight_hh_l0", "head.weight")


class Tuner(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        scores = model(inputs["input_ids"])[:, :-1]
        labels = inputs["labels"][:, 1:]
        criterion = nn.CrossEntropyLoss()
        if (labels != -100).any():
            loss = criterion(scores.flatten(0, 1), labels.flatten())
        else:  # mmcodemod MM206: the mean of no label is NaN
            loss = scores[:0].sum()
        return (loss, scores) if return_outputs else loss

    def training_step(self, model, inputs, num_items_in_batch=None):
        loss = super().training_step(model, inputs, num_items_in_batch)
        step = self.state.global_step + 1
        if not torch.isfinite(loss):
            raise FloatingPointError(f"the loss is {loss.item()} in step {step}")
        diary.note(step=step, loss=loss.item())
        return loss


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    torch.manual_seed(0)
    model = Speaker()
    trainer = Tuner(model=model, args=args, train_dataset=Conversations(640), data_collator=collate)
    diary.weights("start", model, WATCHED)
    trainer.train()
    diary.weights("end", model, WATCHED)
    diary.note(done="trained on long conversations, too")


if __name__ == "__main__":
    main()
    diary.close()
