"""Chooses the parts that a configuration names."""

import re

from torch import nn

from sightchat.model.encoder import PatchTower


def build_vision_tower(config, delay_load=False):
    name = getattr(config, "vision_tower_name", None) or getattr(config, "vision_tower", None)
    if "vit" in name:
        return PatchTower(name, config, delay_load=delay_load)
    raise ValueError(f"no tower is called {name}")


def build_projector(config):
    kind = getattr(config, "projector_type", "linear")
    if kind == "linear":
        return nn.Linear(config.vision_width, config.hidden_size)
    layers = re.fullmatch(r"mlp(\d+)x_gelu", kind)
    if layers is None:
        raise ValueError(f"no projector is called {kind}")
    parts = [nn.Linear(config.vision_width, config.hidden_size)]
    for _ in range(1, int(layers[1])):
        parts += [nn.GELU(), nn.Linear(config.hidden_size, config.hidden_size)]
    return nn.Sequential(*parts)
