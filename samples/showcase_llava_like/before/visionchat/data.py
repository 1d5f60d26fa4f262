"""Conversations, with or without a picture."""

import json
from dataclasses import dataclass

import torch
from PIL import Image
from torch.utils.data import Dataset
from torchvision.transforms.functional import pil_to_tensor, resize


class ConversationDataset(Dataset):
    def __init__(self, path, tokenizer, size=224):
        with open(path) as file:
            self.samples = json.load(file)
        self.tokenizer = tokenizer
        self.size = size

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        sample = self.samples[index]
        ids = self.tokenizer(sample["text"], return_tensors="pt").input_ids[0]
        item = {"input_ids": ids, "labels": ids.clone()}
        if "image" in sample:
            picture = Image.open(sample["image"]).convert("RGB")
            item["image"] = resize(pil_to_tensor(picture), [self.size, self.size]).float() / 255
        return item


@dataclass
class Collator:
    pad_token_id: int

    def __call__(self, samples):
        def padded(key, value):
            rows = [sample[key] for sample in samples]
            return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=value)

        batch = {"input_ids": padded("input_ids", self.pad_token_id), "labels": padded("labels", -100)}
        pictures = [sample["image"] for sample in samples if "image" in sample]
        if pictures:
            batch["images"] = torch.stack(pictures)
        return batch
