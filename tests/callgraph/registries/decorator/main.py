"""A registry of our own: names given to a decorator, looked up by name or by what is not known."""


class Registry:
    def __init__(self):
        self.table = {}

    def register(self, name):
        def keep(cls):
            self.table[name] = cls
            return cls

        return keep

    def build(self, name):
        return self.table[name]()


TOWERS = Registry()


@TOWERS.register("clip")
class Clip:
    def encode(self):
        pass


@TOWERS.register("siglip")
class Siglip:
    def encode(self):
        pass


for name in ("clip", "siglip"):
    TOWERS.build(name).encode()
