"""Questions about the shade of a picture; the last word of a row is where the answer is read."""

import torch
from torch.utils.data import Dataset

SHADES, WORDS, LENGTH = 4, 16, 4
SIZE = 8  # pixels, of a side


class Questions(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        shade = index // 2 % SHADES
        words = (torch.arange(LENGTH) + index) % WORDS
        return torch.full((3, SIZE, SIZE), shade / SHADES), words, torch.tensor(shade)
