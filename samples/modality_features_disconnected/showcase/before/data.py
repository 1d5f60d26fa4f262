"""Questions about the shade of a picture, and questions about nothing but words."""

import torch
from torch.utils.data import Dataset

SHADES, WORDS, LENGTH, PATCHES = 4, 16, 8, 4
IMAGE_TOKEN_INDEX = -200
SIZE = 8  # pixels, of a side


class Questions(Dataset):
    """Even rows have a picture, odd ones a blank one that nobody asks for. The last word tells the answer."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        shade = torch.tensor(index // 2 % SHADES)
        ids = torch.full((LENGTH,), SHADES + index % (WORDS - SHADES))
        image = torch.zeros(3, SIZE, SIZE)
        if index % 2 == 0:
            ids[:PATCHES] = IMAGE_TOKEN_INDEX
            image = image + shade / SHADES
        else:
            ids[0] = shade
        return {"input_ids": ids, "images": image, "answer": shade}
