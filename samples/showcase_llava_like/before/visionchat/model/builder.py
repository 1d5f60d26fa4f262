"""Chooses the parts that a configuration names."""

from torch import nn

from visionchat.model.tower import PatchEncoder, PretrainedEncoder


def build_vision_tower(config):
    weights = getattr(config, "vision_weights", None)
    if weights:
        return PretrainedEncoder(weights)
    return PatchEncoder()


def build_projector(config, width):
    return nn.Sequential(
        nn.Linear(width, config.hidden_size),
        nn.GELU(),
        nn.Linear(config.hidden_size, config.hidden_size),
    )
