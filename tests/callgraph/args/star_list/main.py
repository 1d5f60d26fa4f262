"""A list of callables is spread over parameters."""


def image():
    pass


def text():
    pass


def both(one, two):
    one()
    two()


parts = [image, text]
both(*parts)
