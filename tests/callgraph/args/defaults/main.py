"""Parameter defaults are values; what is passed replaces them."""


def mean():
    pass


def total():
    pass


def reduce(how=mean, *, also=total):
    how()
    also()


reduce()
