"""Chooses the vision tower by its name."""

import os

from radchat.vision.medical import MedicalTower
from radchat.vision.plain import PlainTower


def build_vision_tower(config, **kwargs):
    name = getattr(config, "vision_tower_name", getattr(config, "vision_tower", None))
    if "medvit" in name:
        return MedicalTower(name, **kwargs)
    if os.path.exists(name) or name.startswith("vit"):
        return PlainTower(name, **kwargs)
    raise ValueError(f"no vision tower is called {name}")
