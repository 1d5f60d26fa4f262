"""Answers questions about pictures. The layers are computed again in the backward pass, which saves memory."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

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
        self.spare = nn.Linear(WIDTH, SHADES)  # for another task, which is not trained now

    def forward(self, pixels, words, answer):
        seen = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([seen, self.words(words)], dim=1)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=True)
        return nn.functional.cross_entropy(self.head(x[:, -1]), answer)
