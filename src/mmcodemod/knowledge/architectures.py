"""Public checkpoints whose architecture transformers has known only since a release. Without code of their
own (`auto_map` in `config.json`) an `Auto` class of an older release refuses them.

Source: `CONFIG_MAPPING_NAMES` in `models/auto/configuration_auto.py` of the last patch of each minor release,
4.10.3 to 5.5.4; `_rope_scaling_validation` in `models/llama/configuration_llama.py`; `model_type` in the
`config.json` of the checkpoints on https://huggingface.co.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Architecture(NamedTuple):
    """A `model_type`, and the first minor release of transformers that knows it. Releases before
    `refused_from` take it for another."""

    model_type: str
    since: str
    refused_from: str = "0"


_QWEN2 = Architecture("qwen2", "4.37")
_QWEN2_MOE = Architecture("qwen2_moe", "4.40")
_GEMMA = Architecture("gemma", "4.38")
_LLAMA31 = Architecture("llama with a `rope_type`", "4.43", "4.31")
# By the id of a checkpoint in lower case; the first pattern that fits its beginning counts.
_CHECKPOINTS = (
    (r"qwen/qwen3\.5-", Architecture("qwen3_5", "5.2")),
    (r"qwen/qwen3-vl-", Architecture("qwen3_vl", "4.57")),
    (r"qwen/qwen3-omni-", Architecture("qwen3_omni_moe", "4.57")),
    (r"qwen/qwen3-next-", Architecture("qwen3_next", "4.57")),
    (r"qwen/qwen3-", Architecture("qwen3", "4.51")),
    (r"qwen/qwen2\.5-omni-", Architecture("qwen2_5_omni", "4.52")),
    (r"qwen/qwen2\.5-vl-", Architecture("qwen2_5_vl", "4.49")),
    (r"qwen/(qwen2-vl|qvq)-", Architecture("qwen2_vl", "4.45")),
    (r"qwen/qwen2-audio-", Architecture("qwen2_audio", "4.45")),
    (r"qwen/(qwen1\.5-moe|qwen2-57b-a14b)", _QWEN2_MOE),
    (r"qwen/(qwen1\.5|qwen2|qwen2\.5|qwq)-", _QWEN2),
    (r"deepseek-ai/deepseek-r1-distill-qwen-", _QWEN2),
    (r"google/gemma-3n-", Architecture("gemma3n", "4.53")),
    (r"google/gemma-3-", Architecture("gemma3", "4.50")),
    (r"google/gemma-2-", Architecture("gemma2", "4.42")),
    (r"google/gemma-(\d\.\d-)?[27]b", _GEMMA),
    (r"google/paligemma", Architecture("paligemma", "4.41")),
    (r"meta-llama/llama-4-", Architecture("llama4", "4.51")),
    (r"meta-llama/llama-3\.2-\d+b-vision", Architecture("mllama", "4.45")),
    (r"meta-llama/(meta-)?llama-3\.[123]-", _LLAMA31),
    (r"deepseek-ai/deepseek-r1-distill-llama-", _LLAMA31),
    (r"mistralai/mixtral-", Architecture("mixtral", "4.36")),
    (r"mistralai/mistral-7b-", Architecture("mistral", "4.34")),
    (r"mistralai/mistral-small-3\.[12]-", Architecture("mistral3", "4.50")),
    (r"llava-hf/llava-onevision-", Architecture("llava_onevision", "4.45")),
    (r"llava-hf/llava-next-video-", Architecture("llava_next_video", "4.42")),
    (r"llava-hf/(llava-v1\.6|llama3-llava-next)-", Architecture("llava_next", "4.39")),
    (r"llava-hf/(llava-1\.5|bakllava)-", Architecture("llava", "4.36")),
    (r"languagebind/video-llava-7b-hf", Architecture("video_llava", "4.41")),
    (r"huggingfacem4/idefics2-", Architecture("idefics2", "4.40")),
    (r"(huggingfacem4/idefics3|huggingfacetb/smolvlm)-", Architecture("idefics3", "4.46")),
    (r"huggingfacetb/smolvlm2-", Architecture("smolvlm", "4.50")),
    (r"huggingfacetb/smollm3-", Architecture("smollm3", "4.53")),
    (r"opengvlab/internvl3(\.5|_5)?-\w+-hf", Architecture("internvl", "4.52")),
    (r"allenai/olmo-2-", Architecture("olmo2", "4.47")),
    (r"allenai/olmoe-", Architecture("olmoe", "4.45")),
    (r"openai/gpt-oss-", Architecture("gpt_oss", "4.55")),
    (r"(zai-org|thudm)/glm-4\.1v-", Architecture("glm4v", "4.53")),
    (r"facebook/dinov3-vit", Architecture("dinov3_vit", "4.56")),
    (r"answerdotai/modernbert-", Architecture("modernbert", "4.48")),
    (r"bigcode/starcoder2-", Architecture("starcoder2", "4.39")),
)
NEWEST = Architecture("all of them", "5.2")


def architecture(checkpoint: str) -> Architecture | None:
    """That of a checkpoint by its id on the hub (`owner/name`); None where it is not known."""
    name = checkpoint.lower()
    return next((known for pattern, known in _CHECKPOINTS if re.match(pattern, name)), None)
