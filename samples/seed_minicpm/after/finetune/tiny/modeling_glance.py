"""An eye, a bridge, and a language model that reads what comes over it."""

import torch
import torch.nn as nn
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from .configuration_glance import GlanceConfig


class Eye(nn.Module):
    """Patches of a picture."""

    def __init__(self, width):
        super().__init__()
        self.patches = nn.Conv2d(3, width, kernel_size=4, stride=4)

    def forward(self, pictures):
        return self.patches(pictures).flatten(2).transpose(1, 2)


class Bridge(nn.Module):
    """What all patches say, for one place in the text."""

    def __init__(self, width):
        super().__init__()
        self.place = nn.Parameter(torch.randn(1, width) * 0.1)
        self.where = nn.Linear(width, width)
        self.what = nn.Linear(width, width)

    def forward(self, seen):
        weight = (self.place * self.where(seen)).sum(-1, keepdim=True).softmax(dim=1)
        return self.place + (weight * self.what(seen)).sum(dim=1, keepdim=True)


class Glance(PreTrainedModel):
    config_class = GlanceConfig
    supports_gradient_checkpointing = True

    def __init__(self, config):
        super().__init__(config)
        self.llm = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=config.vocab_size,
                hidden_size=config.hidden_size,
                intermediate_size=64,
                num_hidden_layers=2,
                num_attention_heads=4,
                initializer_range=0.2,
            )
        )
        self.eye = Eye(config.hidden_size)
        self.bridge = Bridge(config.hidden_size)
        self.post_init()

    def _init_weights(self, module):
        pass  # each part begins as its own class has made it

    def get_input_embeddings(self):
        return self.llm.get_input_embeddings()

    def forward(self, input_ids, pixel_values, **kwargs):
        words = self.get_input_embeddings()(input_ids)
        seen = self.bridge(self.eye(pixel_values))
        return self.llm(inputs_embeds=torch.cat([seen, words[:, 1:]], dim=1), use_cache=False)
