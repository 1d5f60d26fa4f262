"""What a language model needs to see: two mixins, one for the body and one for the head."""

from abc import ABC, abstractmethod

import torch

from visionchat.model.builder import build_projector, build_vision_tower


class VisionBody:
    """Mixed into the body of a language model: owns the encoder and the projector."""

    def __init__(self, config):
        super().__init__(config)
        self.vision_tower = build_vision_tower(config)
        self.projector = build_projector(config, self.vision_tower.hidden_size)

    def get_vision_tower(self):
        return getattr(self, "vision_tower", None)


class VisionHead(ABC):
    """Mixed into the head: puts picture features in front of the words."""

    @abstractmethod
    def get_model(self):
        """The body."""

    def encode_images(self, images):
        features = self.get_model().get_vision_tower()(images)
        return self.get_model().projector(features)

    def embed(self, input_ids, labels, images):
        words = self.get_model().embed_tokens(input_ids)
        if images is None:
            return words, labels

        features = self.encode_images(images)
        ignored = torch.full(features.shape[:2], -100, dtype=labels.dtype, device=labels.device)
        return torch.cat([features, words], dim=1), torch.cat([ignored, labels], dim=1)
