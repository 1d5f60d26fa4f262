from .tower import Tower


def build():
    return Tower().encode()
