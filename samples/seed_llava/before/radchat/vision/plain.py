"""A ViT as it was published, frozen."""

import torch
from torch import nn
from transformers import ViTConfig, ViTModel


class PlainTower(nn.Module):
    def __init__(self, name, delay_load=False):
        super().__init__()
        self.name = name
        self.is_loaded = False
        if delay_load:
            self.config_only = ViTConfig.from_pretrained(name)
        else:
            self.load_model()

    def load_model(self):
        if self.is_loaded:
            return
        self.encoder = ViTModel.from_pretrained(self.name, add_pooling_layer=False)
        self.encoder.requires_grad_(False)
        self.is_loaded = True

    @torch.no_grad()
    def forward(self, pixels):
        return self.encoder(pixels).last_hidden_state[:, 1:]

    @property
    def width(self):
        return (self.encoder.config if self.is_loaded else self.config_only).hidden_size
