"""Pictures to learn: patches, and the word that names what is on them."""

import torch
from torch.utils.data import Dataset

WORDS, PATCHES, WIDTH = 8, 4, 32


class Pictures(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        word = index % WORDS
        made = torch.Generator().manual_seed(word)
        return {"patches": torch.randn(PATCHES, WIDTH, generator=made), "labels": torch.tensor(word)}
