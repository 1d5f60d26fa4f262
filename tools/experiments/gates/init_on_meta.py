# mypy: ignore-errors
"""How much of what `__init__` loads is left when from_pretrained has returned? One process, no DeepSpeed."""

import tempfile
import warnings

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

CONFIG = LlamaConfig(
    vocab_size=16, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2
)


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.norm, self.head = nn.Conv2d(3, 8, 4, 4), nn.LayerNorm(8), nn.Linear(8, 8)


class Reader(LlamaForCausalLM):
    def __init__(self, config):
        super().__init__(config)
        self.tower = Tower()
        self.tower.load_state_dict(torch.load(f"{folder}/tower.pt"))


warnings.simplefilter("ignore")
with tempfile.TemporaryDirectory() as folder:
    LlamaForCausalLM(CONFIG).save_pretrained(folder)
    wanted = {name: torch.randn_like(value) for name, value in Tower().state_dict().items()}
    torch.save(wanted, f"{folder}/tower.pt")
    held = Reader.from_pretrained(folder).tower.state_dict()
kept = [name for name, value in wanted.items() if torch.equal(held[name], value)]
print("holds", len(kept), "of", len(wanted), *kept)
