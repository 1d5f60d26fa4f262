"""The model of a run, with what it must not train frozen."""

from transformers import AutoConfig, AutoModelForImageTextToText

from .tiny import register
from .visual import freeze


def load_model(model_args, finetuning_args):
    register()
    config = AutoConfig.from_pretrained(model_args.model_name_or_path)
    model = AutoModelForImageTextToText.from_pretrained(model_args.model_name_or_path, config=config)
    freeze(model, finetuning_args)
    return model
