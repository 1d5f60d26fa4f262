"""Instructions, with or without a picture."""

import json
from dataclasses import dataclass

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from sightchat.vocabulary import IGNORE_INDEX, IMAGE_TOKEN_INDEX, PATCHES, SIZE, numbers

MAX_LENGTH = 12


class Instructions(Dataset):
    """Rows as long as they are. A row without a picture gets a blank one."""

    def __init__(self, data_args):
        with open(data_args.data_path) as file:
            self.rows = json.load(file)
        self.data_args = data_args

    def __len__(self):
        return len(self.rows)

    @property
    def kinds(self):
        return ["image" in row for row in self.rows]

    def __getitem__(self, index):
        row = self.rows[index]
        ids = torch.tensor(numbers(row["question"] + " " + row["answer"]))
        labels = ids.clone()
        labels[:-1] = IGNORE_INDEX
        item = {"input_ids": ids, "labels": labels}
        if "image" in row:
            item["image"] = torch.load(row["image"])
        elif self.data_args.is_multimodal:
            item["image"] = torch.zeros(3, SIZE, SIZE)
        return item


class PaddedInstructions(Instructions):
    """Rows of one length, with room for the patches of the picture."""

    def __getitem__(self, index):
        item = super().__getitem__(index)
        spread = torch.where(item["input_ids"] == IMAGE_TOKEN_INDEX, PATCHES, 1)
        ids, labels = (item[key].repeat_interleave(spread) for key in ("input_ids", "labels"))
        short = MAX_LENGTH - len(ids)
        item["attention_mask"] = torch.arange(MAX_LENGTH) < len(ids)
        item["input_ids"] = torch.cat([ids, ids.new_zeros(short)])
        item["labels"] = torch.cat([labels, labels.new_full((short,), IGNORE_INDEX)])
        item["image_mask"] = item["input_ids"] == IMAGE_TOKEN_INDEX
        return item


@dataclass
class Collator:
    pad: int = 0

    def __call__(self, items):
        ids, labels = ([item[key] for item in items] for key in ("input_ids", "labels"))
        batch = {
            "input_ids": pad_sequence(ids, batch_first=True, padding_value=self.pad),
            "labels": pad_sequence(labels, batch_first=True, padding_value=IGNORE_INDEX),
        }
        batch["attention_mask"] = batch["input_ids"].ne(self.pad)
        if "image_mask" in items[0]:
            batch["attention_mask"] = torch.stack([item["attention_mask"] for item in items])
            batch["image_mask"] = torch.stack([item["image_mask"] for item in items])
        if "image" in items[0]:
            batch["images"] = torch.stack([item["image"] for item in items])
        return batch


def make_data(data_args):
    chosen = PaddedInstructions if data_args.pad_max else Instructions
    return {"train_dataset": chosen(data_args), "data_collator": Collator()}
