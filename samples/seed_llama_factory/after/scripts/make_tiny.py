"""Gives a configuration random weights: `PYTHONPATH=src python scripts/make_tiny.py models/tiny`."""

import sys

import torch
from transformers import AutoConfig, AutoModelForImageTextToText

from foundry.model.tiny import register


def main(home):
    register()
    torch.manual_seed(42)
    AutoModelForImageTextToText.from_config(AutoConfig.from_pretrained(home)).save_pretrained(home)


if __name__ == "__main__":
    main(sys.argv[1])
