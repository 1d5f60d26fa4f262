"""A Llama that sees."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM, LlamaModel

from sightchat.model.arch import SightBody, SightHead


class SightConfig(LlamaConfig):
    model_type = "sightchat"


class SightModel(SightBody, LlamaModel):
    config_class = SightConfig


class SightForCausalLM(LlamaForCausalLM, SightHead):
    config_class = SightConfig

    def __init__(self, config):
        super(LlamaForCausalLM, self).__init__(config)
        self.model = SightModel(config)
        self.vocab_size = config.vocab_size
        self.lm_head = torch.nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()

    def get_model(self):
        return self.model

    def forward(
        self,
        input_ids=None,
        attention_mask=None,
        labels=None,
        images=None,
        image_mask=None,
        inputs_embeds=None,
        **kwargs,
    ):
        if inputs_embeds is None:
            if image_mask is None:
                inputs_embeds, attention_mask, labels = self.join(input_ids, attention_mask, labels, images)
            else:
                inputs_embeds = self.join_padded(input_ids, images, image_mask)
        return super().forward(
            input_ids=None if inputs_embeds is not None else input_ids,
            attention_mask=attention_mask,
            labels=labels,
            inputs_embeds=inputs_embeds,
        )

    @torch.no_grad()
    def answer(self, input_ids, images=None):
        """The most likely next word."""
        if images is not None:
            everything = torch.ones_like(input_ids, dtype=torch.bool)
            embeds, _, _ = self.join(input_ids, everything, input_ids, images)
        else:
            embeds = self.get_model().embed_tokens(input_ids)
        return super().forward(inputs_embeds=embeds).logits[:, -1].argmax(-1)
