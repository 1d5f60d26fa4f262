"""What a language model needs to see: one mixin for its body, one for its head."""

from abc import ABC, abstractmethod
from contextlib import nullcontext

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from transformers.integrations import is_deepspeed_zero3_enabled

from radchat.vision.builder import build_vision_tower
from radchat.words import IGNORE_INDEX, IMAGE_TOKEN_INDEX


class RadBody:
    """Owns the tower and the projector."""

    def __init__(self, config):
        super().__init__(config)
        if hasattr(config, "vision_tower_name"):
            self.vision_tower = build_vision_tower(config, delay_load=True)
            self.projector = self.new_projector(config.vision_width)

    def new_projector(self, width):
        wide = self.config.hidden_size
        return nn.Sequential(nn.Linear(width, wide), nn.GELU(), nn.Linear(wide, wide))

    def get_vision_tower(self):
        tower = getattr(self, "vision_tower", None)
        if type(tower) is list:
            tower = tower[0]
        return tower

    def add_sight(self, model_args, fsdp=None):
        """Build and load what the checkpoint of the language model does not bring."""
        tower = self.get_vision_tower()
        if tower is None:
            tower = build_vision_tower(model_args)
            self.vision_tower = [tower] if fsdp else tower
        else:
            tower.load_model()
        self.config.vision_width = tower.width
        if getattr(self, "projector", None) is None:
            self.projector = self.new_projector(tower.width)
        if model_args.pretrained_projector is not None:
            self.load_projector(model_args.pretrained_projector)

    def load_projector(self, path):
        weights = torch.load(path, map_location="cpu")
        if is_deepspeed_zero3_enabled():
            from deepspeed import zero

            context = zero.GatheredParameters(list(self.projector.parameters()), modifier_rank=0)
        else:
            context = nullcontext()
        with context:
            self.projector.load_state_dict(weights)


class RadHead(ABC):
    """Puts the features of a radiograph where the words name it."""

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
            return input_ids, attention_mask, None, labels

        features = self.encode_images(images)
        rows, targets = [], []
        for number, ids in enumerate(input_ids):
            ids, wanted = ids[attention_mask[number]], labels[number][attention_mask[number]]
            places = (ids == IMAGE_TOKEN_INDEX).nonzero().flatten().tolist()
            words = self.get_model().embed_tokens(ids[ids != IMAGE_TOKEN_INDEX])
            if len(places) == 0:
                rows.append(torch.cat([words, features[number][0:0]]))
                targets.append(wanted)
                continue
            at = places[0]
            rows.append(torch.cat([words[:at], features[number], words[at:]]))
            ignored = wanted.new_full((features.shape[1],), IGNORE_INDEX)
            targets.append(torch.cat([wanted[:at], ignored, wanted[at + 1 :]]))
        masks = [torch.ones(len(row), dtype=torch.bool) for row in rows]
        embeds, mask = pad_sequence(rows, batch_first=True), pad_sequence(masks, batch_first=True)
        return None, mask, embeds, pad_sequence(targets, batch_first=True, padding_value=IGNORE_INDEX)
