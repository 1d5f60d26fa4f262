"""An unknown decorator leaves the function what it is."""

import functools
import atexit


@functools.lru_cache(maxsize=None)
def config():
    pass


@functools.lru_cache
def table():
    pass


config()
table()


class Model:
    @functools.lru_cache(maxsize=None)
    def weights(self):
        return self.name()

    def name(self):
        pass


Model().weights()
