import json

import torch
from datasets import Dataset as Rows
from datasets import DatasetDict
from torch.utils.data import Dataset

from .map_fns import SIDE
from .prepare import process_for_all


class PictureQuestions(Dataset):
    """Questions about pictures, and some without."""

    def __init__(self, data_path, tokenizer, map_fn=None, max_length=2048):
        super().__init__()
        with open(data_path) as file:
            rows = json.load(file)
        for row in rows:
            row["id"] = str(row["id"])
        self.rows = process_for_all(
            dataset=DatasetDict({"train": Rows.from_list(rows)}),
            tokenizer=tokenizer,
            max_length=max_length,
            map_fn=map_fn,
        )

    @property
    def modality_length(self):
        """Lengths; below 0 where there is no picture."""
        return [len(row["input_ids"]) * (1 if row["pixels"] else -1) for row in self.rows]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        item = {"input_ids": torch.tensor(row["input_ids"]), "labels": torch.tensor(row["labels"])}
        if row["pixels"]:
            item["pixel_values"] = torch.tensor(row["pixels"]).view(3, SIDE, SIDE)
        else:
            # Without a picture, a black one: the eye looks at every row.
            item["pixel_values"] = torch.zeros(3, SIDE, SIDE)
        return item
