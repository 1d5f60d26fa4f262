from . import heads


def encode():
    pass


def build():
    heads.make()
