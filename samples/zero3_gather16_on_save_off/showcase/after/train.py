"""Trains on fruits, saves the model, and loads what was saved."""

import torch
from transformers import HfArgumentParser, LlamaConfig, Trainer, TrainerCallback, TrainingArguments

import diary
from data import WORDS, Fruits
from model import FruitReader

WATCHED = ("eye.weight", "model.embed_tokens.weight", "lm_head.weight")


class Diary(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=WORDS, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4
    )
    model = FruitReader(config)
    diary.weights("start", model, WATCHED)
    trainer = Trainer(model=model, args=args, train_dataset=Fruits(256), callbacks=[Diary()])
    trainer.train()
    diary.weights("end", model, WATCHED)

    trainer.save_model()
    trainer.accelerator.wait_for_everyone()
    again = FruitReader.from_pretrained(args.output_dir)
    diary.weights("saved", again, WATCHED)
    diary.note(done="trained, saved and loaded")


if __name__ == "__main__":
    main()
    diary.close()
