"""Trains a language model whose head comes from elsewhere."""

from dataclasses import dataclass, field

import torch
from transformers import HfArgumentParser, LlamaForCausalLM, Trainer, TrainerCallback, TrainingArguments

import diary
from data import Sums

WATCHED = ("lm_head.weight", "model.norm.weight")


@dataclass
class ModelArguments:
    weights: str = field(default="weights")


class Diary(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def main():
    parser = HfArgumentParser((ModelArguments, TrainingArguments))
    model_args, training_args = parser.parse_args_into_dataclasses()
    model = LlamaForCausalLM.from_pretrained(model_args.weights)
    head = torch.load(f"{model_args.weights}/head.pt")
    model.lm_head.weight.data.copy_(head)

    diary.print_of("checkpoint", "lm_head.weight", head)
    diary.weights("start", model, WATCHED)
    trainer = Trainer(model=model, args=training_args, train_dataset=Sums(256), callbacks=[Diary()])
    trainer.train()
    diary.weights("end", model, WATCHED)
    diary.note(done="trained with the other head")


if __name__ == "__main__":
    main()
    diary.close()
