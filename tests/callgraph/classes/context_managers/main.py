"""`with` enters and leaves; `contextmanager` runs its generator."""

import contextlib


class Gathered:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def weights(self):
        pass


@contextlib.contextmanager
def disabled():
    stop()
    yield worker
    start()


def stop():
    pass


def start():
    pass


def worker():
    pass


with Gathered() as gathered:
    gathered.weights()
with disabled() as fn:
    fn()
