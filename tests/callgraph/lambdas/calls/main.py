"""Lambdas are functions: numbered in source order inside what holds them."""


def scale():
    pass


def shift():
    pass


first = lambda: scale()
first()


def make():
    twice = lambda fn: fn()
    twice(shift)
    return lambda: shift()


make()()
