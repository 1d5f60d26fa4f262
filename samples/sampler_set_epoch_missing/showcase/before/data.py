"""Pairs of a picture and a caption of one word, which fit or do not."""

import torch
from torch.utils.data import Dataset

SHADES, SIZE = 4, 8  # SIZE in pixels, of a side


class Pairs(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        shade = index // 2 % SHADES
        word = shade if index // 8 % 2 else (shade + 1) % SHADES
        picture = torch.full((3, SIZE, SIZE), shade / SHADES)
        return index, picture, torch.tensor(word), torch.tensor(float(word == shade))
