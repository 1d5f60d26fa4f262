"""A key that only a default gives is that key; one that comes from outside may be any."""

import os


def fast():
    pass


def slow():
    pass


def plain():
    pass


def build(name="fast"):
    return {"fast": fast, "slow": slow}[name]


def chosen(name="plain"):
    return {"plain": plain}.get(name, plain)


build()()
chosen(os.path.basename("x"))()
