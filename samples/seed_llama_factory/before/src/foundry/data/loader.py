"""Rows of data/*.json as the model reads them."""

import json

from torch.utils.data import Dataset

from .collator import IGNORE_INDEX


class Rows(Dataset):
    def __init__(self, name, plugin, cutoff_len):
        with open(f"data/{name}.json") as file:
            self.rows = json.load(file)
        self.plugin = plugin
        self.cutoff_len = cutoff_len

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        # The question is cut, never the answer: a row always has something to learn from.
        asked = self.plugin.tokens(row)[: self.cutoff_len - 1]
        return {
            "input_ids": [*asked, row["answer"]],
            "labels": [IGNORE_INDEX] * len(asked) + [row["answer"]],
            "attention_mask": [1] * (len(asked) + 1),
            "images": row["images"],
        }
