"""A language model that reads the patches of a tile before the words."""

import torch
from torch import nn
from transformers import LlamaForCausalLM

PATCH = 4  # pixels, of a side


class Captioner(LlamaForCausalLM):
    def __init__(self, config):
        super().__init__(config)
        self.eye = nn.Conv2d(3, config.hidden_size, kernel_size=PATCH, stride=PATCH)
        self.post_init()

    def forward(self, input_ids=None, labels=None, pixels=None, **kwargs):
        words = self.get_input_embeddings()(input_ids)
        seen = self.eye(pixels).flatten(2).transpose(1, 2)
        ignored = torch.full(seen.shape[:2], -100, dtype=labels.dtype)
        labels = torch.cat([ignored, labels], dim=1)
        return super().forward(inputs_embeds=torch.cat([seen, words], dim=1), labels=labels)
