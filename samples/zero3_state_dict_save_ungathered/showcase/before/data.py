"""Leaves of one shade each, and a question that asks for it in one way or another."""

import torch
from torch.utils.data import Dataset

SHADES, WORDS = 4, 8
SIZE = 8  # pixels, of a side


class Leaves(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        shade = index % SHADES
        ids = torch.tensor([index % WORDS // 2, WORDS - 1])
        return torch.full((3, SIZE, SIZE), shade / SHADES), ids, torch.tensor(shade)
