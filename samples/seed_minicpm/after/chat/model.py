"""The first generation of the model, to ask only: nothing here trains it."""

import torch
import torch.nn as nn


class FirstGlance(nn.Module):
    def __init__(self, llm, eye, bridge):
        super().__init__()
        self.llm, self.eye, self.bridge = llm, eye, bridge

    def forward(self, input_ids, pictures=None):
        words = self.llm.get_input_embeddings()(input_ids)
        if pictures is not None:
            seen = self.bridge(self.eye(pictures))
        else:
            # Touches no weight of the eye: in a training run this would not be enough.
            seen = torch.zeros(len(input_ids), 1, words.shape[-1], dtype=words.dtype)
        return self.llm(inputs_embeds=torch.cat([seen, words], dim=1))
