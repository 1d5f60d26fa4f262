"""Trains a tiny language model on made-up text, and says at which norm the gradients were clipped."""

import torch
from transformers import HfArgumentParser, LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

WORDS = 128


class MadeUpText(torch.utils.data.Dataset):
    def __init__(self, size):
        self.tokens = torch.randint(WORDS, (size, 32), generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        return {"input_ids": self.tokens[index], "labels": self.tokens[index]}


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    config = LlamaConfig(
        vocab_size=WORDS, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4
    )
    trainer = Trainer(model=LlamaForCausalLM(config), args=args, train_dataset=MadeUpText(64))
    trainer.train()
    print("clips at", trainer.model_wrapped.gradient_clipping())


if __name__ == "__main__":
    main()
