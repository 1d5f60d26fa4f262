"""The vision encoder: a small transformer over patches, with weights of our own."""

import torch
from torch import nn


class PatchEncoder(nn.Module):
    """Turns a picture into a row of patch features."""

    def __init__(self, width=384, depth=6, patch=14):
        super().__init__()
        self.hidden_size = width
        self.patchify = nn.Conv2d(3, width, kernel_size=patch, stride=patch)
        layer = nn.TransformerEncoderLayer(width, nhead=6, batch_first=True)
        self.blocks = nn.TransformerEncoder(layer, depth)

    def forward(self, pixels):
        patches = self.patchify(pixels).flatten(2).transpose(1, 2)
        return self.blocks(patches)


class PretrainedEncoder(nn.Module):
    """The encoder with its pretrained weights. It is not trained any further."""

    def __init__(self, weights):
        super().__init__()
        self.encoder = PatchEncoder()
        self.hidden_size = self.encoder.hidden_size
        state = torch.load(weights, map_location="cpu")
        self.encoder.load_state_dict(state, strict=False)
        self.encoder.requires_grad_(False)

    def forward(self, pixels):
        return self.encoder(pixels)
