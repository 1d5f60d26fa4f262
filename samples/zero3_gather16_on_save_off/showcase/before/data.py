"""Fruits of one ripeness each, with a word that says which."""

import torch
from torch.utils.data import Dataset

RIPENESS, WORDS = 4, 16
SIZE = 8  # pixels, of a side


class Fruits(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        ripe = index % RIPENESS
        ids = torch.tensor([RIPENESS, RIPENESS + 1, ripe])
        return {"input_ids": ids, "labels": ids, "pixels": torch.full((3, SIZE, SIZE), ripe / RIPENESS)}
