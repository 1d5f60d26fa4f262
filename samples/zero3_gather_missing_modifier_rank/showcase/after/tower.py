"""A radiograph becomes features; the weights come from a pretraining of our own."""

import deepspeed
import torch
from torch import nn
from transformers import ViTModel


class XrayTower(nn.Module):
    def __init__(self, folder, width):
        super().__init__()
        self.encoder = ViTModel.from_pretrained(f"{folder}/encoder", add_pooling_layer=False)
        self.head = nn.Linear(self.encoder.config.hidden_size, width)
        self.restore(f"{folder}/tower.pt")

    def restore(self, checkpoint):
        """The encoder's weights after the pretraining on radiographs: gathered first, for they are in shards."""
        weights = torch.load(checkpoint, map_location="cpu")
        with deepspeed.zero.GatheredParameters(list(self.parameters()), modifier_rank=0):
            self.load_state_dict(weights)

    def forward(self, pixels):
        return self.head(self.encoder(pixels).last_hidden_state)
