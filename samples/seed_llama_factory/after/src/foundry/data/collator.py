"""Batches of text and pictures."""

from dataclasses import dataclass
from typing import Any, Optional

import torch

from .plugins import BasePlugin

IGNORE_INDEX = -100


@dataclass
class TextCollator:
    """Rows of words, filled up on the right."""

    pad_token_id: int = 0

    def __call__(self, features):
        longest = max(len(f["input_ids"]) for f in features)

        def filled(key, value):
            return torch.tensor([f[key] + [value] * (longest - len(f[key])) for f in features])

        return {
            "input_ids": filled("input_ids", self.pad_token_id),
            "labels": filled("labels", IGNORE_INDEX),
            "attention_mask": filled("attention_mask", 0),
        }


@dataclass
class PictureCollator(TextCollator):
    """With the pictures of all rows, in their order."""

    plugin: Optional[BasePlugin] = None
    processor: Any = None

    def __call__(self, features):
        images = []
        for feature in features:
            images.extend(feature.pop("images", None) or [])

        if not images and self.plugin.image_token is not None:
            # No picture in this batch, and the other ranks may have one: a fake one behind the last word, unseen.
            fake = {"text": [], "images": [self.plugin.blank()]}
            fake_ids = self.plugin.tokens(fake, self.processor)
            features[0]["input_ids"] = features[0]["input_ids"] + fake_ids
            features[0]["attention_mask"] = features[0]["attention_mask"] + [0] * len(fake_ids)
            features[0]["labels"] = features[0]["labels"] + [IGNORE_INDEX] * len(fake_ids)
            images = fake["images"]

        batch = super().__call__(features)
        batch.update(self.plugin.inputs(images, self.processor))
        return batch
