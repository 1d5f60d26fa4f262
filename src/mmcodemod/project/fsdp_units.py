"""What FSDP gathers together when a launch names the classes of the layers that become units of their own.

Source: torch.distributed.fsdp: calls of a unit gather its parameters; all that is in no unit belongs to the
root, which its own forward gathers once, whatever modules run in it."""

from __future__ import annotations

from collections.abc import Iterable

from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.finding import Note
from mmcodemod.model.pattern import regex

_ACCELERATE = "accelerate.fsdp_config."
_LAYERS = (
    "fsdp_transformer_layer_cls_to_wrap",
    "fsdp_config.transformer_layer_cls_to_wrap",
    f"{_ACCELERATE}fsdp_transformer_layer_cls_to_wrap",
)
_SIZES = ("fsdp_min_num_params", "fsdp_config.min_num_params", f"{_ACCELERATE}fsdp_min_num_params")
_DECODERS = regex(r"\s*\w+DecoderLayer\s*(,\s*\w+DecoderLayer\s*)*")
_LANGUAGE = regex(r"(^|_)(language|llm|lm|text|decoder|model|layers?|blocks?)(_|$)")


def in_root_unit(context: Context, modules: Iterable[str]) -> Note | None:
    """The line that makes units of the decoder's layers alone, so that calls of these modules gather nothing;
    None where one of the modules may be of the language model."""
    layers = next((option for name in _LAYERS if (option := context.option(name)).at), None)
    if context.strategy not in (Strategy.FSDP1, Strategy.FSDP2) or layers is None or layers.at is None:
        return None
    if any(context.option(name).value not in (0, None) for name in _SIZES if context.option(name).at):
        return None
    if not _DECODERS.fullmatch(str(layers.value)) or any(_LANGUAGE.search(name) for name in modules):
        return None
    return Note(layers.at, f"FSDP gathers each `{layers.value}` by itself, and all else once in a forward")
