"""Keys of a batch that hold pictures, video or sound."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.model.pattern import regex

KEYS = regex(
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


def pairs_put(node: ast.AST) -> Iterator[tuple[object, ast.expr]]:
    """The keys that a node puts into a dict, with their values."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((constant(t.slice), value) for t in targets if isinstance(t, ast.Subscript))
        case ast.Dict(keys=keys, values=values):
            yield from ((constant(key), value) for key, value in zip(keys, values, strict=True))
        case ast.Call(func=ast.Attribute(attr="setdefault"), args=[key, value]):
            yield constant(key), value
        case ast.Call(func=ast.Attribute(attr="update") | ast.Name(id="dict"), keywords=keywords):
            yield from ((k.arg, k.value) for k in keywords)
