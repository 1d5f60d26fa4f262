"""A class as a decorator, and a decorator on a class."""


class Cached:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self):
        return self.fn()


@Cached
def load():
    pass


load()


def named(cls):
    cls.label = "x"
    return cls


@named
class Tower:
    def encode(self):
        pass


Tower().encode()
