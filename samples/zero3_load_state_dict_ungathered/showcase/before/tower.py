"""A radiograph becomes features; the weights come from a pretraining of our own."""

import torch
from torch import nn
from transformers import ViTModel


class XrayTower(nn.Module):
    def __init__(self, folder, width):
        super().__init__()
        self.encoder = ViTModel.from_pretrained(f"{folder}/encoder", add_pooling_layer=False)
        self.norm = nn.BatchNorm1d(self.encoder.config.hidden_size)
        self.head = nn.Linear(self.encoder.config.hidden_size, width)
        self.restore(f"{folder}/tower.pt")

    def restore(self, checkpoint):
        """The encoder's weights after the pretraining on radiographs."""
        weights = torch.load(checkpoint, map_location="cpu")
        missing, unexpected = self.load_state_dict(weights, strict=False)
        print("missing:", missing, "unexpected:", unexpected)

    def forward(self, pixels):
        features = self.encoder(pixels).last_hidden_state
        return self.head(self.norm(features.transpose(1, 2)).transpose(1, 2))
