"""Why rules and libraries disagree about a kind of configuration: looked at one by one, and left so."""

from __future__ import annotations

from collections.abc import Mapping

from judging.rows import ANY

REASONS: Mapping[tuple[str, str], str] = {
    ("MM110", "a stage that there is not"): (
        'the stage is a text, "3", which DeepSpeed takes for the number since it uses pydantic 2; to the '
        "tool, a stage is a number"
    ),
    ("MM303", "clipping is null"): (
        "the key is written, so the rule is silent. DeepSpeed keeps None for it, which the first step "
        "compares with 0: a TypeError, no silent loss of clipping"
    ),
    ("MM307", "fp16 and bf16 are both on"): "MM306 says it instead, so that one cause is one finding",
    ("MM310", "the reduction is overlapped"): (
        "DeepSpeed overlaps, as asked; from 0.19.0 on the race that the rule is about is mended, and since "
        "0.14.3 the rule has a note alone, for buckets that hold any gradient"
    ),
    ("MM506", "a comment that is written as a key"): "nobody expects a comment to be read",
    ("MM506", "gradients are summed"): (
        "gradient_allreduce_op is a key of later releases. At the top, the list of keys holds what any code "
        "asks any configuration for: a release without a key is no proof there"
    ),
    (ANY, "gradients are summed"): "a value that DeepSpeed does not know; values are not checked",
    (ANY, "a stage that there is not"): "a value that DeepSpeed does not know; values are not checked",
    (ANY, "offload_param at stage 3"): "a value that DeepSpeed does not know (gpu); values are not checked",
    (ANY, "no size at all"): (
        "code often fills the sizes in before it hands the dictionary on; a missing key is no proof"
    ),
}
