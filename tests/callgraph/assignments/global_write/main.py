"""A function stores into a global that another one calls."""

_LOGGER = None


def to_file():
    pass


def setup():
    global _LOGGER
    _LOGGER = to_file


def log():
    _LOGGER()


setup()
log()
