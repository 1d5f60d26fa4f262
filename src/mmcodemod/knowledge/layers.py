"""torch.nn classes without parameters: calling them gathers nothing under ZeRO-3 or FSDP."""

from __future__ import annotations

import re

_PARAMETERLESS = re.compile(
    r"torch\.nn\.(\w+\.)*(\w*Dropout\w*|ReLU6?|LeakyReLU|ELU|SELU|CELU|GELU|SiLU|Mish|Softmax\w*|LogSoftmax"
    r"|Sigmoid|Tanh|Softplus|Hardswish|Hardsigmoid|Hardtanh|Identity|Flatten|Unflatten|Fold|Unfold|\w*Loss"
    r"|\w*Pool\dd|Upsample|Pixel(Un)?[Ss]huffle|ZeroPad\dd|\w+Pad\dd|Threshold|Cosine\w*|PairwiseDistance)"
)
_METHODS = re.compile(r"forward(_\w+)?|encode(_\w+)?|get_\w*features|embed|extract_features?")


# Attributes of transformers models that hold modules with parameters.
_SUBMODULES = re.compile(
    r"embed_tokens|wte|wpe|word_embeddings|lm_head|embeddings|vision_tower|vision_model|visual|audio_tower"
    r"|multi_modal_projector|mm_projector|language_model|text_model|image_encoder|projector"
)


def is_submodule(attribute: str) -> bool:
    """Is it an attribute of a library model that holds a module with parameters?"""
    return bool(_SUBMODULES.fullmatch(attribute))


def has_parameters(name: str) -> bool:
    """May a torch module class have parameters?"""
    return not _PARAMETERLESS.fullmatch(name)


def runs_module(method: str) -> bool:
    """Is it a method that runs the module (not `to`, `eval`, `state_dict`)?"""
    return bool(_METHODS.fullmatch(method))
