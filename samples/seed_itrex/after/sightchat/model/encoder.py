"""The vision encoder, frozen: a picture becomes one feature for each patch."""

import torch
from torch import nn
from transformers import ViTConfig, ViTModel


class PatchTower(nn.Module):
    def __init__(self, name, args, delay_load=False):
        super().__init__()
        self.name = name
        self.is_loaded = False
        self.layer = getattr(args, "select_layer", -1)
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
        seen = self.encoder(pixels, output_hidden_states=True)
        return seen.hidden_states[self.layer][:, 1:]

    @property
    def width(self):
        return (self.encoder.config if self.is_loaded else self.config_only).hidden_size
