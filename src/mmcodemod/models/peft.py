"""peft: what it wraps is called and looks like before.

Source: https://huggingface.co/docs/peft/package_reference/peft_model
"""

VERSIONS = "peft>=0.4,<1"
HOMES = ("peft.*",)


def get_peft_model(model, peft_config, *args, **kwargs):
    return model


def prepare_model_for_kbit_training(model, *args, **kwargs):
    return model


class PeftModel:
    @classmethod
    def from_pretrained(cls, model, model_id, *args, **kwargs):
        return model


class PeftModelForCausalLM(PeftModel):
    pass
