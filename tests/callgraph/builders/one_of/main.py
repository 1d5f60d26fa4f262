"""A builder returns one of several classes; only their own methods run."""


class Clip:
    def encode(self):
        pass


class ClipS2(Clip):
    def encode(self):
        super().encode()


class Unused(Clip):
    def encode(self):
        pass


def build(name, s2=False):
    if name == "clip":
        if s2:
            return ClipS2()
        return Clip()
    raise ValueError(name)


class Model:
    def __init__(self, s2):
        self.tower = build("clip", s2)

    def forward(self):
        return self.get().encode()

    def get(self):
        tower = getattr(self, "tower", None)
        if type(tower) is list:
            tower = tower[0]
        return tower


for s2 in (True, False):
    Model(s2).forward()
