import torch
from torch.nn.utils.rnn import pad_sequence


def collate(rows):
    """One batch, filled up on the right."""
    batch = {
        "input_ids": pad_sequence([row["input_ids"] for row in rows], batch_first=True),
        "labels": pad_sequence([row["labels"] for row in rows], batch_first=True, padding_value=-100),
    }
    if all("pixel_values" in row for row in rows):
        batch["pixel_values"] = torch.stack([row["pixel_values"] for row in rows])
    return batch
