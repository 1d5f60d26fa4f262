"""Makes the small weights that training begins with: a language model, an encoder, and a trained tower."""

import argparse
import os

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, ViTConfig, ViTModel

from data import SIZE, WORDS

WIDTH = 32


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="weights")
    folder = parser.parse_args().folder
    torch.manual_seed(0)

    language = LlamaConfig(
        vocab_size=WORDS, hidden_size=WIDTH, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4
    )
    LlamaForCausalLM(language).save_pretrained(f"{folder}/language")
    sight = ViTConfig(
        hidden_size=WIDTH, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4, image_size=SIZE, patch_size=4
    )
    encoder = ViTModel(sight, add_pooling_layer=False)
    encoder.save_pretrained(f"{folder}/encoder")

    tower = nn.ModuleDict({"encoder": encoder, "head": nn.Linear(WIDTH, WIDTH)})
    with torch.no_grad():
        for value in tower.parameters():
            value.add_(0.01 * torch.randn_like(value))
    os.makedirs(folder, exist_ok=True)
    torch.save(tower.state_dict(), f"{folder}/tower.pt")


if __name__ == "__main__":
    main()
