"""Generators hand out callables; `yield from` passes them on."""


def image():
    pass


def video():
    pass


def inner():
    yield image


def outer():
    yield from inner()
    yield video


for reader in outer():
    reader()
for reader in (r for r in [image]):
    reader()
next(inner())()
