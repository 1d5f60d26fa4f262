"""A function put on an object, plainly and as a bound method."""

from types import MethodType


class Model:
    def __init__(self):
        self.size = 1

    def sample(self):
        pass


def generate(self):
    self.sample()


def plain():
    pass


model = Model()
model.generate = MethodType(generate, model)
model.generate()
model.hook = plain
model.hook()
model.bound = generate.__get__(model)
model.bound()
