"""Makes the small weights that training begins with: a language model, and a trained tower."""

import os

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from data import WORDS
from model import XrayTower

WIDTH = 32


def main():
    torch.manual_seed(0)
    os.makedirs("weights", exist_ok=True)
    tower = XrayTower(WIDTH)
    with torch.no_grad():
        for value in tower.parameters():
            value.add_(0.1 * torch.randn_like(value))
    torch.save(tower.state_dict(), "weights/tower.pt")

    language = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=WIDTH,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        tower_weights="weights/tower.pt",
    )
    LlamaForCausalLM(language).save_pretrained("weights/language")


if __name__ == "__main__":
    main()
