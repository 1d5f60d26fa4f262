"""Library calls after which transformers knows the DeepSpeed configuration, by dotted name.

Sources: transformers `integrations/deepspeed.py` (`HfDeepSpeedConfig` sets a weak reference that
`is_deepspeed_zero3_enabled` reads), `TrainingArguments.__post_init__`, accelerate `DeepSpeedPlugin.
set_deepspeed_weakref` (called by `Accelerator()`), trl `TrlParser` and its `*Config` classes, which are
TrainingArguments.
"""

from __future__ import annotations

import re

ASKS_ZERO3 = "is_deepspeed_zero3_enabled"

_ARGUMENTS = re.compile(
    r"[\w.]*TrainingArguments|trl\.(\w+\.)*(?!ModelConfig|ScriptArguments|DatasetMixtureConfig)\w+Config"
)
_PARSE = re.compile(r"(transformers|trl)\.(\w+\.)*(HfArgumentParser|TrlParser)(\(\))?\.parse_\w+")
_METHODS = frozenset(
    (
        "parse_args_into_dataclasses",
        "parse_args_and_config",
        "parse_dict",
        "parse_json_file",
        "parse_yaml_file",
    )
)
_ACCELERATOR = re.compile(r"accelerate\.(\w+\.)*Accelerator")
_CONFIG = re.compile(r"(transformers|accelerate)\.(\w+\.)*Hf(Trainer)?DeepSpeedConfig")
_INIT = re.compile(r"deepspeed\.(\w+\.)*zero\.(partition_parameters\.)?Init")


def is_training_arguments(name: str) -> bool:
    """Is this library class a TrainingArguments?"""
    return bool(_ARGUMENTS.fullmatch(name))


def parses_arguments(name: str) -> bool:
    """Is it a method of an argument parser that builds the dataclasses it was given?"""
    return bool(_PARSE.fullmatch(name))


def is_parser_method(method: str) -> bool:
    """Is it the name of such a method? For parsers of the tree that extend or copy the library's."""
    return method in _METHODS


def is_accelerator(name: str) -> bool:
    """Is it accelerate's Accelerator, whose DeepSpeed plugin tells transformers?"""
    return bool(_ACCELERATOR.fullmatch(name))


def is_hf_config(name: str) -> bool:
    """Is it the object that transformers holds a weak reference to?"""
    return bool(_CONFIG.fullmatch(name))


def is_zero_init(name: str) -> bool:
    """Is it DeepSpeed's context manager under which parameters are partitioned as they are made?"""
    return bool(_INIT.fullmatch(name))
