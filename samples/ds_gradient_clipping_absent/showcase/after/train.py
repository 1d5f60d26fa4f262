"""Trains a tiny language model on made-up text, and says how long the first gradient was when it was used."""

import torch
from transformers import (
    HfArgumentParser,
    LlamaConfig,
    LlamaForCausalLM,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

import diary

WORDS = 32
WATCHED = ("model.embed_tokens.weight", "lm_head.weight")


class Counting(torch.utils.data.Dataset):
    """Rows of words that count upwards."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        tokens = (torch.arange(16) + index) % WORDS
        return {"input_ids": tokens, "labels": tokens}


class FirstStep(TrainerCallback):
    """Plain SGD: the way that the weights go in one step is the learning rate times the gradient it used."""

    def on_step_begin(self, args, state, control, model=None, **kwargs):
        if state.global_step == 0:
            self.start = [p.detach().clone() for p in model.parameters()]

    def on_step_end(self, args, state, control, model=None, **kwargs):
        if state.global_step == 1:
            steps = [(new.detach() - old).norm() for new, old in zip(model.parameters(), self.start)]
            self.used = torch.stack(steps).norm().item() / args.learning_rate

    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            diary.note(step=state.global_step, loss=logs["loss"])


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=WORDS, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4
    )
    first = FirstStep()
    model = LlamaForCausalLM(config)
    trainer = Trainer(model=model, args=args, train_dataset=Counting(512), callbacks=[first])
    diary.weights("start", model, WATCHED)
    trainer.train()
    diary.weights("end", model, WATCHED)
    limit = trainer.model_wrapped.gradient_clipping()
    print(f"clips at {limit}, the first gradient is used with norm {first.used:.2f}")
    diary.note(done="trained to count")


if __name__ == "__main__":
    main()
    diary.close()
