"""A Llama that sees."""

from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, LlamaModel

from radchat.model.arch import RadBody, RadHead


class RadConfig(LlamaConfig):
    model_type = "radchat"


class RadModel(RadBody, LlamaModel):
    config_class = RadConfig


class RadForCausalLM(LlamaForCausalLM, RadHead):
    config_class = RadConfig

    def __init__(self, config):
        super(LlamaForCausalLM, self).__init__(config)
        self.model = RadModel(config)
        self.vocab_size = config.vocab_size
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()

    def get_model(self):
        return self.model

    def forward(self, input_ids=None, attention_mask=None, inputs_embeds=None, labels=None, images=None, **kwargs):
        if inputs_embeds is None:
            input_ids, attention_mask, inputs_embeds, labels = self.join(
                input_ids, attention_mask, labels, images
            )
        return super().forward(
            input_ids=input_ids, attention_mask=attention_mask, inputs_embeds=inputs_embeds, labels=labels
        )
