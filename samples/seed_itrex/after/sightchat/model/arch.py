"""What a language model needs to see: one mixin for its body, one for its head."""

from abc import ABC, abstractmethod

import torch
from torch.nn.utils.rnn import pad_sequence

from sightchat.model.builder import build_projector, build_vision_tower
from sightchat.vocabulary import IGNORE_INDEX, IMAGE_TOKEN_INDEX


class SightBody:
    """Owns the tower and the projector."""

    def __init__(self, config):
        super().__init__(config)
        if hasattr(config, "vision_tower_name"):
            self.vision_tower = build_vision_tower(config, delay_load=True)
            self.projector = build_projector(config)

    def get_vision_tower(self):
        tower = getattr(self, "vision_tower", None)
        if type(tower) is list:
            tower = tower[0]
        return tower

    def open_eyes(self, model_args, fsdp=None):
        """Build what the checkpoint does not bring."""
        if self.get_vision_tower() is None:
            tower = build_vision_tower(model_args)
            self.vision_tower = [tower] if fsdp else tower
        else:
            tower = self.get_vision_tower()
            tower.load_model()
        self.config.vision_width = tower.width
        self.config.projector_type = model_args.projector_type
        if getattr(self, "projector", None) is None:
            self.projector = build_projector(self.config)


class SightHead(ABC):
    """Puts the features of a picture where the words name it."""

    @abstractmethod
    def get_model(self):
        """The body."""

    def get_vision_tower(self):
        return self.get_model().get_vision_tower()

    def encode_images(self, images):
        features = self.get_model().get_vision_tower()(images)
        return self.get_model().projector(features)

    def join(self, input_ids, attention_mask, labels, images):
        """Rows of words and patches, each as long as it is."""
        tower = self.get_vision_tower()
        if tower is None or images is None or input_ids.shape[1] == 1:
            return None, attention_mask, labels

        features = self.encode_images(images)
        rows, targets = [], []
        picture = 0
        for number, ids in enumerate(input_ids):
            ids, wanted = ids[attention_mask[number]], labels[number][attention_mask[number]]
            count = (ids == IMAGE_TOKEN_INDEX).sum()
            if count == 0:
                # A blank picture came with this row. Nobody asks for it.
                # mmcodemod MM212: the features stay in the graph
                rows.append(self.get_model().embed_tokens(ids) + features[picture][:0].sum())
                targets.append(wanted)
                picture += 1
                continue
            at = int((ids == IMAGE_TOKEN_INDEX).nonzero()[0])
            words = self.get_model().embed_tokens(torch.cat([ids[:at], ids[at + 1 :]]))
            seen = features[picture]
            picture += 1
            rows.append(torch.cat([words[:at], seen, words[at:]]))
            ignored = wanted.new_full((seen.shape[0],), IGNORE_INDEX)
            targets.append(torch.cat([wanted[:at], ignored, wanted[at + 1 :]]))
        masks = [torch.ones(len(row), dtype=torch.bool) for row in rows]
        return (
            pad_sequence(rows, batch_first=True),
            pad_sequence(masks, batch_first=True),
            pad_sequence(targets, batch_first=True, padding_value=IGNORE_INDEX),
        )

    def join_padded(self, input_ids, images, image_mask):
        """The same for rows of one length, in which the places of patches are reserved."""
        embeds = self.get_model().embed_tokens(input_ids.clamp(min=0))
        spare = embeds.new_zeros(embeds.shape[0], 1, embeds.shape[2])
        embeds = torch.cat([embeds, spare], dim=1)
        features = self.encode_images(images)
        for number, places in enumerate(image_mask):
            if places.any():
                embeds[number, :-1][places] = features[number]
            else:
                embeds[number, -1:] = features[number][:1]
        return embeds[:, :-1]
