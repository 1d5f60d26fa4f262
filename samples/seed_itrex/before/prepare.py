"""Makes the small weights and the rows that tuning begins with."""

import argparse
import json
import os

import torch
from transformers import LlamaConfig, LlamaForCausalLM, ViTConfig, ViTModel

from sightchat.vocabulary import PATCHES, SHADES, SIZE, WORDS

WIDTH, ROWS = 32, 192


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="weights")
    folder = parser.parse_args().folder
    torch.manual_seed(0)
    sizes = {"hidden_size": WIDTH, "intermediate_size": 64, "num_attention_heads": 4}
    language = LlamaConfig(vocab_size=len(WORDS), num_hidden_layers=2, initializer_range=0.2, **sizes)
    LlamaForCausalLM(language).save_pretrained(f"{folder}/language")
    sight = ViTConfig(num_hidden_layers=1, image_size=SIZE, patch_size=int(SIZE / PATCHES**0.5), **sizes)
    ViTModel(sight, add_pooling_layer=False).save_pretrained(f"{folder}/vit-tiny")

    os.makedirs(f"{folder}/pictures", exist_ok=True)
    rows = []
    for number in range(ROWS):
        shade = number // 2 % len(SHADES)
        if number % 2:
            rows.append({"question": f"say {SHADES[shade]} again please", "answer": SHADES[shade]})
            continue
        picture = f"{folder}/pictures/{number}.pt"
        torch.save(torch.full((3, SIZE, SIZE), shade / len(SHADES)), picture)
        rows.append({"image": picture, "question": "<image> which shade", "answer": SHADES[shade]})
    with open(f"{folder}/rows.json", "w") as file:
        json.dump(rows, file)


if __name__ == "__main__":
    main()
