"""Attributes set in methods, on the class, from outside, and inherited."""


def relu():
    pass


def gelu():
    pass


class Config:
    def read(self):
        pass


class Block:
    act = staticmethod(relu)
    config_class = Config

    def __init__(self, norm):
        self.norm = norm
        self.config = self.config_class()

    def forward(self):
        self.act()
        self.norm()
        self.config.read()
        self.late()


class Wide(Block):
    pass


def rms():
    pass


block = Wide(rms)
block.late = gelu
block.forward()
