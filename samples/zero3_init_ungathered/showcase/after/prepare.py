"""Makes the small weights that training begins with: a language model, and a head from elsewhere."""

import argparse

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from data import WORDS

WIDTH = 32


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="weights")
    folder = parser.parse_args().folder
    torch.manual_seed(0)
    language = LlamaConfig(
        vocab_size=WORDS, hidden_size=WIDTH, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4
    )
    LlamaForCausalLM(language).save_pretrained(folder)
    torch.save(0.02 * torch.randn(WORDS, WIDTH), f"{folder}/head.pt")


if __name__ == "__main__":
    main()
