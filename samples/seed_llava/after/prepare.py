"""Makes the small weights, the radiographs and the rows that training begins with."""

import argparse
import json
import os

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, ViTConfig, ViTModel

from radchat.words import PATCHES, SHADES, SIZE, WORDS

WIDTH, ROWS = 32, 256


def save_models(folder):
    sizes = {"hidden_size": WIDTH, "intermediate_size": 64, "num_attention_heads": 4}
    language = LlamaConfig(vocab_size=len(WORDS), num_hidden_layers=2, initializer_range=0.2, **sizes)
    LlamaForCausalLM(language).save_pretrained(f"{folder}/language")
    patch = int(SIZE / PATCHES**0.5)
    published = ViTModel(
        ViTConfig(num_hidden_layers=1, image_size=SIZE, patch_size=patch, **sizes), add_pooling_layer=False
    )
    published.save_pretrained(f"{folder}/vit-plain")
    published.save_pretrained(f"{folder}/medvit-small/vit")

    clinic = nn.ModuleDict(
        {"model": published, "norm": nn.BatchNorm1d(WIDTH), "head": nn.Linear(WIDTH, WIDTH, bias=False)}
    )
    with torch.no_grad():
        for value in clinic.parameters():
            value.add_(0.05 * torch.randn_like(value))
        clinic["norm"].running_mean.fill_(0.25)
    torch.save(clinic.state_dict(), f"{folder}/medvit-small/clinic.bin")
    projector = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))
    torch.save(projector.state_dict(), f"{folder}/projector.bin")


def save_rows(folder):
    os.makedirs(f"{folder}/images", exist_ok=True)
    seen, plain = [], []
    for number in range(ROWS):
        shade = SHADES[number % len(SHADES)]
        image = f"{folder}/images/{number}.pt"
        torch.save(torch.full((3, SIZE, SIZE), SHADES.index(shade) / len(SHADES)), image)
        seen.append({"image": image, "question": "<image> how is it", "answer": shade})
        plain.append({"question": f"say {shade} again please", "answer": shade})
    for name, rows in (("reports", seen), ("dialogues", seen[: ROWS // 2] + plain[: ROWS // 2])):
        with open(f"{folder}/{name}.json", "w") as file:
            json.dump(rows, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="weights")
    folder = parser.parse_args().folder
    torch.manual_seed(0)
    save_models(folder)
    save_rows(folder)


if __name__ == "__main__":
    main()
