"""Cells of one stain each, under a microscope, with a word that names it."""

import torch
from torch.utils.data import Dataset

STAINS, WORDS = 4, 16
SIZE = 8  # pixels, of a side


class Slides(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        stain = index % STAINS
        ids = torch.tensor([STAINS, STAINS + 1, stain])
        labels = torch.tensor([-100, -100, stain])
        return {"input_ids": ids, "labels": labels, "pixels": torch.full((3, SIZE, SIZE), stain / STAINS)}
