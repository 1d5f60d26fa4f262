"""Two registries of one class do not mix."""


class Registry:
    def __init__(self):
        self.table = {}

    def add(self, name, item):
        self.table[name] = item

    def get(self, name):
        return self.table[name]


MODELS = Registry()
LOSSES = Registry()


def model():
    pass


def loss():
    pass


MODELS.add("m", model)
LOSSES.add("l", loss)
for name in ("m",):
    MODELS.get(name)()
