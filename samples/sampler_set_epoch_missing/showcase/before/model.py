"""Tells whether a caption fits a picture."""

import torch
from torch import nn

from data import SHADES

WIDTH = 16


class Matcher(nn.Module):
    def __init__(self):
        super().__init__()
        self.eye = nn.Conv2d(3, WIDTH, kernel_size=4, stride=4)
        self.words = nn.Embedding(SHADES, WIDTH)
        self.both = nn.Linear(2 * WIDTH, 64)
        self.score = nn.Linear(64, 1)

    def forward(self, pixels, word, fits):
        seen = self.eye(pixels).flatten(2).mean(-1)
        both = torch.cat([seen, self.words(word)], dim=-1)
        score = self.score(self.both(both).relu()).squeeze(-1)
        return nn.functional.binary_cross_entropy_with_logits(score, fits)
