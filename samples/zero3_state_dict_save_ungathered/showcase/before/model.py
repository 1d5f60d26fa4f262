"""A model that reads the patches of a picture before the words of a question."""

import torch
from torch import nn

from data import SHADES, WORDS

WIDTH, PATCH = 32, 4  # PATCH in pixels, of a side


class Botanist(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, kernel_size=PATCH, stride=PATCH)
        self.words = nn.Embedding(WORDS, WIDTH)
        self.reader = nn.TransformerEncoderLayer(WIDTH, nhead=4, dim_feedforward=64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, SHADES)

    def forward(self, pixels, ids):
        seen = self.patches(pixels).flatten(2).transpose(1, 2)
        read = self.reader(torch.cat([seen, self.words(ids)], dim=1))
        return self.head(read[:, -1])
