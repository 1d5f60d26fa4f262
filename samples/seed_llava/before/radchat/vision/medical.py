"""The clinic's tower: a ViT that was trained further on radiographs, with a norm and a head of its own."""

import os

import torch
from torch import nn
from transformers import ViTConfig, ViTModel


class RadiographEncoder(nn.Module):
    """The weights of `checkpoint`, which holds all of it, take the place of the published ones."""

    def __init__(self, folder, checkpoint=None):
        super().__init__()
        self.model = ViTModel.from_pretrained(os.path.join(folder, "vit"), add_pooling_layer=False)
        width = self.model.config.hidden_size
        self.norm = nn.BatchNorm1d(width)
        self.head = nn.Linear(width, width, bias=False)
        if checkpoint is not None:
            state = torch.load(checkpoint, map_location="cpu")
            missing, unexpected = self.load_state_dict(state, strict=False)
            print("missing:", missing, "unexpected:", unexpected)

    def forward(self, pixels):
        features = self.model(pixels).last_hidden_state[:, 1:]
        return self.head(self.norm(features.transpose(1, 2)).transpose(1, 2))


class MedicalTower(nn.Module):
    def __init__(self, name, delay_load=False):
        super().__init__()
        self.name = name
        self.is_loaded = False
        if delay_load:
            self.config_only = ViTConfig.from_pretrained(os.path.join(name, "vit"))
        else:
            self.load_model()

    def load_model(self):
        if self.is_loaded:
            return
        self.encoder = RadiographEncoder(self.name, os.path.join(self.name, "clinic.bin"))
        self.encoder.requires_grad_(False)
        self.is_loaded = True

    @torch.no_grad()
    def forward(self, pixels):
        self.encoder.eval()
        return self.encoder(pixels)

    @property
    def width(self):
        return (self.encoder.model.config if self.is_loaded else self.config_only).hidden_size
