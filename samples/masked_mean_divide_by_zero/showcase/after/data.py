"""Conversations: the words that describe a picture, then the answer, which tells its shade."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

SHADES = 4
WORDS = 8  # the shades, and four words for the rest
IGNORE_INDEX = -100
MODEL_MAX_LENGTH = 24  # tokens


class Conversations(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        shade = index % SHADES
        told = 40 if index % 10 == 9 else 4 + index % 8  # some pictures are told of at length
        prompt = [shade] + [SHADES + (index + place) % 4 for place in range(told)]
        ids = torch.tensor(prompt + [shade, shade])
        labels = ids.clone()
        labels[: len(prompt)] = IGNORE_INDEX
        return {"input_ids": ids, "labels": labels}


def collate(rows):
    ids = pad_sequence([row["input_ids"] for row in rows], batch_first=True)
    labels = pad_sequence([row["labels"] for row in rows], batch_first=True, padding_value=IGNORE_INDEX)
    return {"input_ids": ids[:, :MODEL_MAX_LENGTH], "labels": labels[:, :MODEL_MAX_LENGTH]}
