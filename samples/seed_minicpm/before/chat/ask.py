"""Asks a finetuned model: `python chat/ask.py out/full picture.pt`."""

import sys

import torch
from transformers import AutoModel


@torch.inference_mode()
def main(folder, picture):
    model = AutoModel.from_pretrained(folder, trust_remote_code=True).eval()
    asked = torch.tensor([[1, 2]])
    print(model(input_ids=asked, pixel_values=torch.load(picture)[None]).logits[0, -1].argmax().item())


if __name__ == "__main__":
    main(*sys.argv[1:])
