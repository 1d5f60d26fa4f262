"""Answers questions, with a picture or without one."""

import torch
from torch import nn

from data import SHADES, WORDS

WIDTH = 32


class Answerer(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, kernel_size=4, stride=4)
        self.words = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, nhead=4, dim_feedforward=64, dropout=0.0, batch_first=True)
            for _ in range(depth)
        )
        self.head = nn.Linear(WIDTH, SHADES)

    def forward(self, words, answer, pixel_values=None):
        x = self.words(words)
        if pixel_values is not None:
            seen = self.patches(pixel_values).flatten(2).transpose(1, 2)
            x = torch.cat([seen, x], dim=1)
        for layer in self.layers:
            x = layer(x)
        return nn.functional.cross_entropy(self.head(x[:, -1]), answer)
