"""Third-party callables that build a model and load its weights into it, by dotted name.

Sources: open_clip `factory.py` (`pretrained=None` loads nothing, `hf-hub:` names always load), timm
`create_model(pretrained=False)`, torchvision `models` (`weights=None`, before 0.13 `pretrained=False`),
openai/CLIP `clip.load` (always), `torch.hub.load` (the repository's entry point decides: DINO and DINOv2
default to `pretrained=True`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Foreign:
    """`flags` are the parameters that ask for weights, with their position (-1: keyword only). `default`
    says whether it loads when none is given; None when that depends on the model."""

    name: str
    flags: tuple[tuple[str, int], ...] = ()
    default: bool | None = False
    eager: tuple[str, ...] = ()  # first arguments that begin with one of these load by default


_TABLE = (
    (r"open_clip\.(factory\.)?create_model_from_pretrained", Foreign("open_clip", default=True)),
    (
        r"open_clip\.(factory\.)?create_model(_and_transforms)?",
        Foreign("open_clip", (("pretrained", 1),), eager=("hf-hub:", "local-dir:")),
    ),
    (
        r"timm\.(models\.)?(factory\.|_factory\.)?create_model",
        Foreign("timm", (("pretrained", 1), ("checkpoint_path", -1))),
    ),
    (
        r"torch\.hub\.load",
        Foreign(
            "torch.hub",
            (("pretrained", -1), ("weights", -1)),
            None,
            ("facebookresearch/dino", "facebookresearch/dinov2"),
        ),
    ),
    (r"clip\.(clip\.)?load", Foreign("clip", default=True)),
    (r"torchvision\.models\.get_model", Foreign("torchvision", (("weights", -1),))),
    (
        r"torchvision\.models\.([a-z]\w*\.)*[a-z]\w*",  # not `ResNet50_Weights.DEFAULT.transforms`
        Foreign("torchvision", (("weights", 0), ("pretrained", 0))),
    ),
)
_COMPILED = tuple((re.compile(pattern), foreign) for pattern, foreign in _TABLE)


@cache
def foreign_model(name: str) -> Foreign | None:
    """What is known of a library callable that may build a model and load its weights."""
    return next((foreign for pattern, foreign in _COMPILED if pattern.fullmatch(name)), None)
