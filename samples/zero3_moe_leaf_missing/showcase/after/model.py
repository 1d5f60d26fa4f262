"""A model that reads the patches of a picture and words, with experts between them."""

import torch
from torch import nn

from data import SHADES, WORDS

WIDTH, PATCH, EXPERTS = 32, 4, 4  # PATCH in pixels, of a side


class SparseBlock(nn.Module):
    """Each token goes through the expert that the router likes best."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS)
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(EXPERTS))

    def forward(self, tokens):
        weight, chosen = self.router(tokens).softmax(dim=-1).max(dim=-1)
        out = torch.zeros_like(tokens)
        for number in range(EXPERTS):
            mask = chosen == number
            if mask.sum() == 0:
                continue
            out[mask] = self.experts[number](tokens[mask]).relu()
        return tokens + weight.unsqueeze(-1) * out


class Collector(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, kernel_size=PATCH, stride=PATCH)
        self.words = nn.Embedding(WORDS, WIDTH)
        self.block = SparseBlock()
        self.head = nn.Linear(WIDTH, SHADES)

    def forward(self, pixels, input_ids, answer):
        seen = self.patches(pixels).flatten(2).transpose(1, 2)
        read = self.block(torch.cat([seen, self.words(input_ids)], dim=1))
        return nn.functional.cross_entropy(self.head(read.mean(dim=1)), answer)
