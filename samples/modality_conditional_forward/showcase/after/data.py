"""Questions about the shade of a picture, and questions about nothing but words."""

import torch
from torch.utils.data import Dataset

SHADES, WORDS, LENGTH, PATCHES = 4, 16, 8, 4
PICTURE = WORDS  # the token that stands for one patch of a picture
SIZE = 8  # pixels, of a side


class Questions(Dataset):
    """Even rows have a picture, odd ones have none. The last word is the answer."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        shade = torch.tensor(index // 2 % SHADES)
        ids = torch.full((LENGTH,), SHADES + index % (WORDS - SHADES))
        sample = {"input_ids": ids, "answer": shade}
        if index % 2 == 0:
            ids[:PATCHES] = PICTURE
            sample["pixel_values"] = torch.full((3, SIZE, SIZE), shade.item() / SHADES)
        else:
            ids[0] = shade
        return sample


def collate(samples):
    batch = {key: torch.stack([s[key] for s in samples]) for key in ("input_ids", "answer")}
    pictures = [s["pixel_values"] for s in samples if "pixel_values" in s]
    if pictures:
        batch["pixel_values"] = torch.stack(pictures)
    return batch
