"""A language model that reads radiographs."""

import torch
from transformers import LlamaForCausalLM

from tower import XrayTower


class DoctorForCausalLM(LlamaForCausalLM):
    def see(self, folder):
        self.tower = XrayTower(folder, self.config.hidden_size)

    def forward(self, input_ids=None, labels=None, pixels=None, **kwargs):
        words = self.get_input_embeddings()(input_ids)
        seen = self.tower(pixels)
        ignored = torch.full(seen.shape[:2], -100, dtype=labels.dtype)
        labels = torch.cat([ignored, labels], dim=1)
        return super().forward(inputs_embeds=torch.cat([seen, words], dim=1), labels=labels)
