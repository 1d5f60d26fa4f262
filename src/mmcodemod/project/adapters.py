"""Which parameters a run trains, as far as its options say: all, adapters (LoRA), or some. The names
of options are those that projects use."""

from __future__ import annotations

import ast
import re
from enum import Enum

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.option import Option
from mmcodemod.model.pattern import regex
from mmcodemod.project.model import Project

_SWITCHES = ("lora_enable", "use_lora", "use_llm_lora", "use_peft", "enable_lora", "low_rank_training")
_KINDS = ("finetuning_type", "tuner_type", "train_type", "sft_type")
_LORA = ("lora", "qlora", "dora", "longlora", "adalora", "oft")
# Options that leave most parameters untrained: all that freeze something, but an encoder of the modality.
_ENCODERS = "vi[st]|tower|image|audio|aligner|projector"
_FROZEN = regex(rf"(freeze(?!.*({_ENCODERS}))|tune_.*adapter|.*lora)", re.IGNORECASE)
_MAKERS = ("get_peft_model", "LoraConfig")
_FEWER_BITS = (
    "bits", "quantization_bit", "quant_bits", "load_in_4bit", "load_in_8bit", "q_lora", "use_qlora",
)  # fmt: skip


class Trained(Enum):
    """What an optimizer has states for."""

    ALL = "all parameters"
    ADAPTERS = "LoRA adapters"
    SOME = "some parameters"
    UNKNOWN = "unknown"


def lora(context: Context) -> Option | None:
    """The option that asks for LoRA, None where none does."""
    for name in _SWITCHES:
        option = context.option(name)
        if option.value is True or (isinstance(option.value, int) and option.value > 0):
            return option
    kinds = (context.option(name) for name in _KINDS)
    return next((o for o in kinds if str(o.value).lower() in _LORA), None)


def quantized(context: Context) -> Option | None:
    """The option that loads the weights in fewer than 16 bits."""
    options = (context.option(name) for name in _FEWER_BITS)
    return next((o for o in options if o.at is not None and o.value not in (False, 16, 32, "none")), None)


def trained(project: Project, context: Context) -> Trained:
    """Must: ALL only where an option says so, or no code makes adapters unless it is asked to."""
    if lora(context):
        return Trained.ADAPTERS
    if any(_FROZEN.match(n) and o.at and o.value not in (False, 0, None) for n, o in context.options.items()):
        return Trained.SOME
    kinds = [str(o.value).lower() for name in _KINDS if (o := context.option(name)).at is not None]
    if kinds:
        return Trained.ALL if kinds == ["full"] else Trained.SOME
    return Trained.UNKNOWN if _always_adapters(project, context) else Trained.ALL


def _always_adapters(project: Project, context: Context) -> bool:
    """May: does code that the run reaches make adapters without a test?"""
    if context.entry is None:
        return True
    reach = project.reach(context.entry)
    makers = [f for f in project.mentioning(*_MAKERS) if f.id in reach and project.calls_of(f.id, _MAKERS)]
    return any(not _asks(facts.node) for facts in makers)


def _asks(function: ast.AST) -> bool:
    tests = [n.test for n in walk(function) if isinstance(n, ast.If)]
    return any(word in unparse(test).lower() for test in tests for word in ("lora", "peft", "adapter"))
