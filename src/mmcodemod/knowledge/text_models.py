"""Checkpoints of models for text alone, by their whole name. A name with anything more may be another model.

Sources: the model cards on https://huggingface.co (meta-llama, Qwen, mistralai, google/gemma and gemma-2,
lmsys/vicuna, openai-community/gpt2, microsoft/phi-2).
Gemma 3, Llama 3.2 of 11B and 90B, and Llama 4 take pictures.
"""

from __future__ import annotations

import re

_SIZE = r"\d+(\.\d+)?b"
_TUNED = r"(-(instruct|chat|base|it|hf))*"
_FAMILIES = (
    rf"(meta-)?llama-?[23](-{_SIZE}){_TUNED}",
    rf"(meta-)?llama-3\.[13](-{_SIZE}){_TUNED}",
    rf"(meta-)?llama-3\.2-[13]b{_TUNED}",
    rf"qwen(1\.5|2|2\.5|3)?-{_SIZE}{_TUNED}",
    r"mi[sx]tral-(7b|8x7b|8x22b)(-instruct)?(-v0\.\d)?",
    rf"gemma-(1\.1-|2-)?{_SIZE}{_TUNED}",
    rf"vicuna-{_SIZE}(-v1\.\d)?",
    r"gpt2(-medium|-large|-xl)?",
    r"phi-(1|1_5|2)",
)
_COMPILED = re.compile("|".join(f"({family})" for family in _FAMILIES))


def for_text_alone(model: str) -> bool:
    """Does a checkpoint, by its id or path, have no encoder of pictures or sounds?"""
    return _COMPILED.fullmatch(model.rstrip("/").rpartition("/")[2].lower()) is not None
