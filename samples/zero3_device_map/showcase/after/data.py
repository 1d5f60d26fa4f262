"""Tiles of one colour each, with a caption that names it."""

import torch
from torch.utils.data import Dataset

COLOURS, WORDS = 4, 16
SIZE = 8  # pixels, of a side


class Tiles(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        colour = index % COLOURS
        ids = torch.tensor([COLOURS, COLOURS + 1, colour])
        return {"input_ids": ids, "labels": ids, "pixels": torch.full((3, SIZE, SIZE), colour / COLOURS)}
