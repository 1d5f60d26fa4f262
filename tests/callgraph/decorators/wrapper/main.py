"""A decorated name is what the decorator returns; `functools.wraps` changes nothing."""

import functools


def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


@timed
def train():
    evaluate()


def evaluate():
    pass


train()
