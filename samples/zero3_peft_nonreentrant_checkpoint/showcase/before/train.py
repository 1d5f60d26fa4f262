"""Trains the eye and the head; the language model between them stays as it is."""

import argparse

import torch
from transformers import LlamaConfig, Trainer, TrainerCallback, TrainingArguments

import diary
from data import WORDS, Slides
from model import SlideReader

WATCHED = ("eye.weight", "lm_head.weight")


class Diary(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--local_rank", type=int, default=0)
    args = TrainingArguments(
        output_dir="out",
        deepspeed="ds_zero3.json",
        gradient_checkpointing=True,
        gradient_checkpointing_kwargs={"use_reentrant": False},
        max_steps=parser.parse_args().steps,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        lr_scheduler_type="constant",
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        remove_unused_columns=False,
        use_cpu=True,
    )
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=WORDS, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4
    )
    model = SlideReader(config)
    model.requires_grad_(False)
    model.eye.requires_grad_(True)
    model.lm_head.requires_grad_(True)
    model.enable_input_require_grads()

    diary.weights("start", model, WATCHED)
    trainer = Trainer(model=model, args=args, train_dataset=Slides(256), callbacks=[Diary()])
    trainer.train()
    diary.weights("end", model, WATCHED)
    diary.note(done="trained in front of a frozen language model")


if __name__ == "__main__":
    main()
    diary.close()
