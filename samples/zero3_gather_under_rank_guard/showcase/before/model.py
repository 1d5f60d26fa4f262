"""Looks at a picture and reads a question, and answers."""

import torch
from torch import nn

from data import LENGTH, SHADES, WORDS

WIDTH = 32


class Quizzed(nn.Module):
    def __init__(self):
        super().__init__()
        self.eye = nn.Conv2d(3, WIDTH, kernel_size=4, stride=4)
        self.words = nn.Embedding(WORDS, WIDTH)
        self.both = nn.Linear(WIDTH + LENGTH * WIDTH, 64)
        self.head = nn.Linear(64, SHADES)

    def forward(self, pixels, question, answer):
        seen = self.eye(pixels).flatten(2).mean(-1)
        read = self.words(question).flatten(1)
        thought = self.both(torch.cat([seen, read], dim=-1)).relu()
        return nn.functional.cross_entropy(self.head(thought), answer)
