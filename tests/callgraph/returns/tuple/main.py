"""Several returned callables, unpacked and indexed."""


def encode():
    pass


def decode():
    pass


def pair():
    return encode, decode


enc, dec = pair()
enc()
pair()[1]()
