"""A small model of text and pictures, to try files with: no attention and no norms, so it is quick and touchy."""

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForImageTextToText, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput


class TinyConfig(PretrainedConfig):
    model_type = "foundry_tiny"

    def __init__(self, hidden_size=32, vocab_size=16, image_token_index=15, patch_size=4, **kwargs):
        super().__init__(**kwargs)
        self.hidden_size = hidden_size
        self.vocab_size = vocab_size
        self.image_token_index = image_token_index
        self.patch_size = patch_size


class Tower(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.patches = nn.Conv2d(3, config.hidden_size, config.patch_size, stride=config.patch_size)

    def forward(self, pixel_values):
        return self.patches(pixel_values).flatten(2).transpose(1, 2)


class Projector(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.linear_1 = nn.Linear(config.hidden_size, config.hidden_size)
        self.linear_2 = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, features):
        return self.linear_2(self.linear_1(features).relu())


class Reader(nn.Module):
    """Each place reads the sum of all words before it."""

    def __init__(self, config):
        super().__init__()
        self.embed = nn.Embedding(config.vocab_size, config.hidden_size)
        self.up = nn.Linear(config.hidden_size, 2 * config.hidden_size)
        self.down = nn.Linear(2 * config.hidden_size, config.hidden_size)
        self.head = nn.Linear(config.hidden_size, config.vocab_size)

    def forward(self, embeds, attention_mask):
        read = (embeds * attention_mask.unsqueeze(-1)).cumsum(dim=1)
        return self.head(read + self.down(self.up(read).relu()))


class TinyModel(PreTrainedModel):
    config_class = TinyConfig

    def __init__(self, config):
        super().__init__(config)
        self.vision_tower = Tower(config)
        self.multi_modal_projector = Projector(config)
        self.language_model = Reader(config)
        self.post_init()

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Conv2d, nn.Embedding)):
            module.reset_parameters()

    def forward(self, input_ids, attention_mask, labels, pixel_values=None):
        embeds = self.language_model.embed(input_ids)
        if pixel_values is not None:
            features = self.multi_modal_projector(self.vision_tower(pixel_values))
            here = (input_ids == self.config.image_token_index).unsqueeze(-1)
            embeds = embeds.masked_scatter(here, features)
        logits = self.language_model(embeds, attention_mask)
        loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
        return CausalLMOutput(loss=loss, logits=logits)


def register():
    AutoConfig.register("foundry_tiny", TinyConfig)
    AutoModelForImageTextToText.register(TinyConfig, TinyModel)
