"""Families of models that were trained in bfloat16, by the name of a checkpoint.

Sources: https://huggingface.co/docs/transformers/model_doc/llama2 ("Training the model in float16 is not
recommended and is known to produce nan"; so for Llama 3), the `torch_dtype` of the checkpoints of Qwen, Gemma
and MiniCPM, google-research/text-to-text-transfer-transformer#539 (T5).
"""

from __future__ import annotations

import re

_FAMILIES = (
    ("Qwen", r"(?<![a-z])(qwen|qwq|qvq)"),
    ("Gemma", r"(?<![a-z])(pali)?gemma"),
    ("T5", r"(?<![a-z0-9])(u?m?t5|ul2)(?![a-z0-9])"),
    ("Llama", r"(?<![a-z_])llama-?[234](?=[-_.]|$)"),
    ("MiniCPM", r"(?<![a-z])minicpm"),
)
_COMPILED = tuple((name, re.compile(pattern)) for name, pattern in _FAMILIES)
# Their kernels compute in fp16, or the numbers are scaled anyway.
_QUANTIZED = re.compile(r"int[48]|gptq|awq|aqlm|[1-8]-?bit|bnb|fp8|gguf|-q[248]_")


def bf16_family(model: str) -> str:
    """The family of a checkpoint, by its id or path; "" for others and for quantized ones."""
    name = model.rstrip("/").rpartition("/")[2].lower()
    if _QUANTIZED.search(name):
        return ""
    return next((family for family, pattern in _COMPILED if pattern.search(name)), "")
