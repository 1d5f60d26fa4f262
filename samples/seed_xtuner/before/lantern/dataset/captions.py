import json
from datetime import timedelta

import torch
import torch.distributed as dist
from datasets import Dataset as Rows
from torch.utils.data import Dataset

from lantern.registry import BUILDER

from .map_fns import SIDE, encode, opened

PATIENCE = timedelta(hours=2)


def as_caption(row):
    return {"input": ["<image>", "shade"], "output": [row["image"]], "pixels": opened(row["image"])}


def captioned(rows, tokenizer, map_num_proc=None):
    rows = Rows.from_list([row for row in rows if row["image"]])
    rows = rows.map(as_caption, num_proc=map_num_proc)
    return rows.map(encode, fn_kwargs={"tokenizer": tokenizer, "max_length": 8}, num_proc=map_num_proc)


class Captions(Dataset):
    """Each picture with the word for its shade."""

    def __init__(self, data_path, tokenizer, map_num_proc=None):
        super().__init__()
        with open(data_path) as file:
            rows = json.load(file)
        self.rows = self.shared(rows, BUILDER.build(tokenizer), map_num_proc)

    def shared(self, rows, tokenizer, map_num_proc):
        """The others wait in a group of their own, as long as it takes."""
        waiting = dist.new_group(backend="gloo", timeout=PATIENCE)
        if dist.get_rank() == 0:
            objects = [captioned(rows, tokenizer, map_num_proc)]
        else:
            objects = [None]
        dist.monitored_barrier(group=waiting, timeout=PATIENCE)
        dist.broadcast_object_list(objects, src=0)
        return objects[0]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        pixels = torch.tensor(row["pixels"]).view(3, SIDE, SIDE)
        tokens = torch.tensor(row["input_ids"])
        return {"input_ids": tokens, "labels": torch.tensor(row["labels"]), "pixel_values": pixels}
