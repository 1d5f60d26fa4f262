"""Reports and dialogues, read when they are asked for."""

import json
from dataclasses import dataclass

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from radchat.words import IGNORE_INDEX, SIZE, numbers


class LazyDialogues(Dataset):
    def __init__(self, data_args):
        with open(data_args.data_path) as file:
            self.rows = json.load(file)
        self.data_args = data_args

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        ids = torch.tensor(numbers(row["question"] + " " + row["answer"]))
        labels = ids.clone()
        labels[:-1] = IGNORE_INDEX
        item = {"input_ids": ids, "labels": labels}
        if "image" in row:
            item["image"] = torch.load(row["image"])
        elif self.data_args.is_multimodal:
            # plain dialogues of a model that sees
            item["image"] = torch.zeros(3, SIZE, SIZE)
        return item


@dataclass
class Collator:
    pad: int = 0

    def __call__(self, items):
        ids, labels = ([item[key] for item in items] for key in ("input_ids", "labels"))
        ids = pad_sequence(ids, batch_first=True, padding_value=self.pad)
        labels = pad_sequence(labels, batch_first=True, padding_value=IGNORE_INDEX)
        batch = {"input_ids": ids, "labels": labels, "attention_mask": ids.ne(self.pad)}
        if "image" in items[0]:
            batch["images"] = torch.stack([item["image"] for item in items])
        return batch
