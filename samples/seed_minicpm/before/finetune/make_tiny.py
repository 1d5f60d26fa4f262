"""Writes a random model of a few kilobytes, its code beside its weights."""

import shutil
import sys
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModel

CODE = ("configuration_glance.py", "modeling_glance.py", "config.json")


def main(home):
    torch.manual_seed(0)
    config = AutoConfig.from_pretrained(home, trust_remote_code=True)
    model = AutoModel.from_config(config, trust_remote_code=True)
    model.save_pretrained(home / "weights")
    for name in CODE:
        shutil.copy(home / name, home / "weights" / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
