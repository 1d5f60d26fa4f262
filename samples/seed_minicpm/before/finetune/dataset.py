"""Questions about pictures, and some without any picture."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

IGNORED = -100
SIDE = 8  # pixels
PICTURE, SIGN = 1, 2  # the token that stands for the picture's place, and the one that asks for it
FIRST = 8  # the signs are the tokens from here on


class Questions(Dataset):
    """Each picture shows one of four signs; the answer is the token of that sign."""

    def __init__(self, size, max_length=16):
        self.size = size
        self.max_length = max_length
        self.signs = torch.randn(4, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(3))

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        sign = index % 4
        picture = self.signs[sign]
        question = [PICTURE, SIGN]
        if index % 16 == 15:
            # No picture: a black one takes its place, so that the eye looks at every row.
            picture = torch.zeros(3, SIDE, SIDE)
            question = [PICTURE, FIRST + sign]
        answer = [FIRST + sign]
        ids = torch.tensor(question + answer)
        labels = torch.tensor([IGNORED] * len(question) + answer)
        return {"input_ids": ids, "labels": labels, "pixel_values": picture}


def collate(rows, max_length=16):
    """One batch, filled up on the right."""
    ids = pad_sequence([row["input_ids"] for row in rows], batch_first=True)
    labels = pad_sequence([row["labels"] for row in rows], batch_first=True, padding_value=IGNORED)
    return {
        "input_ids": ids[:, :max_length],
        "labels": labels[:, :max_length],
        "pixel_values": torch.stack([row["pixel_values"] for row in rows]),
    }
