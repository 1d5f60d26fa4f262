"""How a family of models wants its pictures: tokens that stand for them, and tensors."""

import torch

SIDE = 8  # pixels
PLACES = 4  # tokens of one picture


class BasePlugin:
    """A model that reads words alone."""

    def __init__(self, image_token=None):
        self.image_token = image_token

    def tokens(self, row, processor=None):
        if row["images"]:
            raise ValueError("This model does not take pictures.")
        return row["text"]

    def inputs(self, images, processor=None):
        return {}


class LlavaPlugin(BasePlugin):
    """Each picture is as many tokens as it has patches."""

    def tokens(self, row, processor=None):
        places = getattr(processor, "image_seqlen", PLACES)
        return [self.image_token] * (places * len(row["images"])) + row["text"]

    def inputs(self, images, processor=None):
        if not images:
            return {}
        return {"pixel_values": torch.stack([self.pixels(image) for image in images])}

    def pixels(self, image):
        """A picture of one shade; its number stands for it."""
        return torch.full((3, SIDE, SIDE), image / 4)

    def blank(self):
        """The picture for a batch that has none."""
        return -1


class TiledPlugin(LlavaPlugin):
    """Pictures are looked at twice: whole, and in the middle."""

    def inputs(self, images, processor=None):
        found = super().inputs(images, processor)
        if found:
            found["pixel_values"] = torch.cat([found["pixel_values"], found["pixel_values"].flip(-1)])
        return found


PLUGINS = {"default": BasePlugin, "llava": LlavaPlugin, "tiled": TiledPlugin}


def get_plugin(name, image_token=None):
    if name not in PLUGINS:
        raise ValueError(f"No plugin is called {name}.")
    return PLUGINS[name](image_token)
