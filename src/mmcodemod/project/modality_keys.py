"""Keys of a batch that hold pictures, video or sound."""

from __future__ import annotations

import ast
import re

KEYS = re.compile(
    r"pixel_values\w*|images?|image_features|image_embeds|videos?|audios?|input_features|audio_features|vision_x"
)


def names_modality(key: object) -> bool:
    """Is it such a key?"""
    return isinstance(key, str) and bool(KEYS.fullmatch(key))


def constant(node: ast.expr | None) -> object:
    """The value of a constant; None of anything else."""
    return node.value if isinstance(node, ast.Constant) else None


def is_none(node: ast.expr) -> bool:
    """Is it written as None?"""
    return isinstance(node, ast.Constant) and node.value is None
