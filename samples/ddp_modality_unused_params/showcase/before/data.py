"""Questions: half of them have a picture, and ask for its shade; the others ask for their first word."""

import torch
from torch.utils.data import Dataset

SHADES, WORDS, LENGTH = 4, 16, 4
SIZE = 8  # pixels, of a side


class Questions(Dataset):
    def __init__(self, rows):
        self.rows = [
            {"number": n, "shade": n // 2 % SHADES if (n // 2 + n) % 2 else None} for n in range(rows)
        ]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        words = (torch.arange(LENGTH) + row["number"]) % WORDS
        item = {"words": words, "answer": words[0] % SHADES}
        if row["shade"] is not None:
            item["answer"] = torch.tensor(row["shade"])
            item["pixel_values"] = torch.full((3, SIZE, SIZE), row["shade"] / SHADES)
        return item
