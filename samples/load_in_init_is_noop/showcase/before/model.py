"""A language model that reads radiographs."""

import torch
from torch import nn
from transformers import LlamaForCausalLM


class XrayTower(nn.Module):
    """A radiograph becomes features."""

    def __init__(self, width):
        super().__init__()
        self.patches = nn.Conv2d(3, width, kernel_size=4, stride=4)
        self.norm = nn.LayerNorm(width)

    def forward(self, pixels):
        return self.norm(self.patches(pixels).flatten(2).transpose(1, 2))


class DoctorForCausalLM(LlamaForCausalLM):
    def __init__(self, config):
        super().__init__(config)
        self.tower = XrayTower(config.hidden_size)
        # from the pretraining on radiographs
        weights = torch.load(config.tower_weights, map_location="cpu")
        self.tower.load_state_dict(weights)

    def forward(self, input_ids=None, labels=None, pixels=None, **kwargs):
        words = self.get_input_embeddings()(input_ids)
        seen = self.tower(pixels)
        ignored = torch.full(seen.shape[:2], -100, dtype=labels.dtype)
        labels = torch.cat([ignored, labels], dim=1)
        return super().forward(inputs_embeds=torch.cat([seen, words], dim=1), labels=labels)
