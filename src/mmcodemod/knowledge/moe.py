"""Families of mixture-of-experts models that run only the experts that got tokens: their names, the
block that holds them, and the versions of transformers in which experts without tokens are not called.

Source: `models/*/modeling_*.py` of transformers, read in 4.37.2, 4.38.2, 4.45.2, 4.50.3, 4.51.3, 4.52.4,
4.53.3, 4.55.4, 4.57.6 and 5.0.0. In between, Mixtral and Qwen call every expert; from 5.0.0 on the experts of
a layer are one parameter. Leaf modules by default: deepspeed `runtime/zero/leaf_module_config.py`, 0.18.0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """`skips`: (first version, version in which it is over) of transformers; `leaf_since`: of DeepSpeed."""

    classes: str
    block: str
    names: str
    skips: tuple[tuple[str, str], ...]
    leaf_since: str = ""


FAMILIES = (
    Family("Mixtral", "MixtralSparseMoeBlock", r"mixtral", (("0", "4.39.0"), ("4.52.0", "5.0.0")), "0.18.0"),
    Family(
        "Qwen2Moe", "Qwen2MoeSparseMoeBlock", r"qwen(1\.5-moe|2-\d+b-a\d+b)", (("4.52.0", "5.0.0"),), "0.18.0"
    ),
    Family("Qwen3Moe", "Qwen3MoeSparseMoeBlock", r"qwen3-\d+b-a\d+b", (("4.53.0", "5.0.0"),), "0.18.0"),
    Family("Jamba", "JambaSparseMoeBlock", r"jamba", (("0", "5.0.0"),)),
    Family("Phimoe", "PhimoeSparseMoeBlock", r"phi-3\.5-moe", (("0", "5.0.0"),)),
    Family("DeepseekV3", "DeepseekV3MoE", r"deepseek-v3|deepseek-r1(?!-distill)", (("4.51.0", "5.0.0"),)),
    Family("Glm4Moe", "Glm4MoeMoE", r"glm-4\.[56](-air)?$", (("4.54.0", "5.0.0"),)),
)
LEAF_FLAG = "_z3_leaf"  # the attribute that these set (deepspeed/utils/z3_leaf_module.py)
LEAF_CALLS = ("set_z3_leaf_modules", "set_z3_leaf_module", "set_z3_leaf_modules_by_name")


def family_of(name: str) -> Family | None:
    """The family of a checkpoint by its name or path, or of a class by its name."""
    last = name.rstrip("/").rpartition("/")[2]
    for family in FAMILIES:
        if re.match(rf"{family.classes}(For|Model|PreTrained)", last) or re.match(family.names, last.lower()):
            return family
    return None
