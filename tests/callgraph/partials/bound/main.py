"""`functools.partial` binds the first arguments and keeps the rest."""

import functools
from functools import partial


def pad(make, value):
    make()
    value()


def zeros():
    pass


def ones():
    pass


partial(pad, zeros)(ones)
keyed = functools.partial(pad, value=ones)
keyed(zeros)


class Loader:
    def __init__(self, worker):
        self.worker = worker

    def run(self):
        self.worker()

    def fetch(self, n):
        pass


Loader(partial(zeros)).run()
partial(Loader(zeros).fetch, 1)()
list(map(partial(pad, zeros), [ones]))
