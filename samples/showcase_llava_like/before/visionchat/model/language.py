"""A Llama that sees."""

from transformers import LlamaConfig, LlamaForCausalLM, LlamaModel

from visionchat.model.arch import VisionBody, VisionHead


class VisionChatConfig(LlamaConfig):
    model_type = "visionchat"
    vision_weights = None


class VisionChatModel(VisionBody, LlamaModel):
    config_class = VisionChatConfig


class VisionChatForCausalLM(LlamaForCausalLM, VisionHead):
    config_class = VisionChatConfig

    def __init__(self, config):
        super(LlamaForCausalLM, self).__init__(config)
        self.model = VisionChatModel(config)
        self.post_init()

    def get_model(self):
        return self.model

    def forward(self, input_ids=None, attention_mask=None, labels=None, images=None, **kwargs):
        embeds, labels = self.embed(input_ids, labels, images)
        return super().forward(inputs_embeds=embeds, labels=labels)
