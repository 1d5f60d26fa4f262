"""Which library classes are `torch.nn.Module`s, by dotted name."""

from __future__ import annotations

import re

# torch.nn layers and containers; transformers model classes by their naming scheme
# (https://huggingface.co/docs/transformers/main_classes/model); timm, open_clip, lightning, mmengine bases.
_MODULE_LIKE = re.compile(
    r"""
    torch\.nn\.(?!functional|init|utils|parameter|Parameter)(modules\.)?\w+(\.\w+)?
  | transformers\.(\w+\.)*\w*(Model|PreTrainedModel|For[A-Z]\w*|Encoder|Backbone|Layer|Attention|Projector)
  | transformers\.(\w+\.)*AutoModel\w*
  | (pytorch_lightning|lightning)(\.\w+)*\.LightningModule
  | mmengine\.model\.\w+
  | timm\.models(\.\w+)*\.[A-Z]\w*
  | open_clip(\.\w+)*\.[A-Z]\w*
    """,
    re.VERBOSE,
)

# Classes of transformers that are models, by their naming scheme: all extend PreTrainedModel.
_PRETRAINED = re.compile(r"transformers\.(\w+\.)*(?!TF|Flax|Auto)[A-Z]\w*(Model|For[A-Z]\w*)")

# Library callables that return a module.
_MODULE_FACTORY = re.compile(
    r"""
    .*\.(Auto)?\w*(Model|ForConditionalGeneration|For[A-Z]\w*|Encoder|Backbone)\.(from_pretrained|from_config|_from_config)
  | timm\.create_model | timm\.models(\.\w+)*\.create_model
  | open_clip\.create_model(_and_transforms|_from_pretrained)?
  | torch\.hub\.load | torchvision\.models(\.\w+)*\.\w+ | clip\.load
    """,
    re.VERBOSE,
)

# Hugging Face classes whose `from_pretrained` builds no module.
_WEIGHTLESS = re.compile(
    r".*(Config|Tokenizer|TokenizerFast|Processor|FeatureExtractor|ImageProcessor|GenerationConfig"
    r"|ImageProcessorFast|VideoProcessor)"
)


def is_module_class(name: str) -> bool:
    """Is the library class `name` a torch module?"""
    return bool(_MODULE_LIKE.fullmatch(name))


def extended_by(name: str) -> str:
    """The library class that the library class `name` is known to extend, "" for none."""
    extends = _PRETRAINED.fullmatch(name) and not name.endswith(".PreTrainedModel")
    return "transformers.PreTrainedModel" if extends else ""


def makes_module(name: str) -> bool:
    """Does calling the library callable `name` give a torch module?"""
    return bool(_MODULE_FACTORY.fullmatch(name)) or is_module_class(name)


def is_weightless(name: str) -> bool:
    """Is this a configuration, tokenizer or processor class (nothing with parameters)?"""
    return bool(_WEIGHTLESS.fullmatch(name))
