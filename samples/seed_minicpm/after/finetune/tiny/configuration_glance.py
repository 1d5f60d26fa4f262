from transformers import PretrainedConfig


class GlanceConfig(PretrainedConfig):
    model_type = "glance"

    def __init__(self, hidden_size=32, vocab_size=16, **kwargs):
        self.hidden_size = hidden_size
        self.vocab_size = vocab_size
        super().__init__(**kwargs)
